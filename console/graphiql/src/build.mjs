// Bundles the page into ../dist: index.html, one script and one style sheet with their hashes in the names, and the
// licences of everything that is in them.
import { build } from 'esbuild';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const dist = resolve(here, '../dist');
process.chdir(here);

// The fonts that GraphiQL embeds are a quarter of the whole; the fonts of the system do as well.
const withoutFonts = {
  name: 'without-fonts',
  setup(bundle) {
    bundle.onLoad({ filter: /graphiql.*\.css$/ }, args => ({
      contents: readFileSync(args.path, 'utf8').replace(/@font-face\s*\{[^}]*\}/g, ''),
      loader: 'css',
    }));
  },
};

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist, { recursive: true });
const result = await build({
  entryPoints: { graphiql: 'main.jsx' },
  outdir: dist,
  entryNames: '[name]-[hash]',
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  define: { 'process.env.NODE_ENV': '"production"' },
  legalComments: 'none', // they are in LICENSES.txt
  plugins: [withoutFonts],
  metafile: true,
  logLevel: 'warning',
});

const outputs = Object.keys(result.metafile.outputs).map(name => basename(name));
const named = ending => outputs.find(name => name.endsWith(ending));
const html = readFileSync('index.html', 'utf8').replace('MAIN.css', named('.css')).replace('MAIN.js', named('.js'));
writeFileSync(join(dist, 'index.html'), html);

const packages = new Set();
for (const input of Object.keys(result.metafile.inputs)) {
  const parts = input.split('node_modules/');
  if (parts.length > 1) {
    const name = parts.at(-1).match(/^(@[^/]+\/)?[^/]+/)[0];
    packages.add(parts.slice(0, -1).join('node_modules/') + 'node_modules/' + name);
  }
}
const textIn = folder => {
  const file = readdirSync(folder).find(name => /^(licen[cs]e|copying)/i.test(name));
  return file && readFileSync(join(folder, file), 'utf8').trim();
};
// Packages without a text of their own: those of one repository share its licence, the others state MIT and a person.
const permission = textIn('node_modules/react').replace(/^[^]*?(?=Permission is hereby granted)/, '');
const mit = ({ author, license, name }) => {
  if (license !== 'MIT' || !author) {
    throw new Error(`${name} carries no licence that could be shown`);
  }
  return `Copyright (c) ${author.name ?? author}\n\n${permission}`;
};
const sharedText = ({ name }) =>
  name.startsWith('@graphiql/') ? textIn('node_modules/graphiql')
  : name === 'react-compiler-runtime' ? textIn('node_modules/react')
  : undefined;

let licences = 'Licences of the packages that are bundled here.\n';
for (const folder of [...packages].sort()) {
  const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const text = textIn(folder) ?? sharedText(about) ?? mit(about);
  licences += `\n${'-'.repeat(80)}\n${about.name} ${about.version} (${about.license})\n\n${text}\n`;
}
writeFileSync(join(dist, 'LICENSES.txt'), licences.replace(/\r\n/g, '\n').replace(/[ \t]+$/gm, ''));
