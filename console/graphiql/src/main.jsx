// GraphiQL for those who hold a token. The token lives in the storage of this tab and is sent as a header, never in
// an address.
import { useMemo, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { GraphiQL } from 'graphiql';
import 'graphiql/style.css';
import './main.css';

const TOKEN = 'procgraph.token';

const DEFAULT_QUERY = `# The registry: what agents are offered
# as proc__ tools, the most used first.
query Registry {
  procedureTools(first: 25) {
    nodes {
      name
      description
      readOnly
      procedure {
        frequency
        signature
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
`;

function fetcherFor(token, onRefused) {
  return async (params, options) => {
    const response = await fetch('/graphql', {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/graphql-response+json, application/json',
        Authorization: `Bearer ${token}`,
        ...options?.headers,
      },
      body: JSON.stringify(params),
      credentials: 'omit',
      cache: 'no-store',
    });
    onRefused(response.status === 401);
    const text = await response.text();
    try {
      return JSON.parse(text);
    } catch {
      return { errors: [{ message: `The server answered ${response.status}: ${text.slice(0, 500)}` }] };
    }
  };
}

function TokenBar({ token, refused, onChange }) {
  const [typed, setTyped] = useState('');
  const submit = event => {
    event.preventDefault();
    const next = typed.trim();
    setTyped('');
    if (next) {
      onChange(next);
    }
  };
  return (
    <form className="token-bar" onSubmit={submit}>
      <strong>procgraph</strong>
      <label htmlFor="token">Token</label>
      <input
        id="token"
        type="password"
        autoComplete="off"
        spellCheck={false}
        placeholder={token ? 'another token' : 'paste an API token'}
        value={typed}
        onChange={event => setTyped(event.target.value)}
      />
      <button type="submit" disabled={typed.trim() === ''}>Use</button>
      {token && <button type="button" onClick={() => onChange('')}>Forget</button>}
      <span role="status" className={refused ? 'refused' : undefined}>
        {refused ? 'The server refused this token.' : token ? 'In use, in this tab only.' : ''}
      </span>
    </form>
  );
}

function App() {
  const [token, setToken] = useState(() => sessionStorage.getItem(TOKEN) ?? '');
  const [refused, setRefused] = useState(false);
  const fetcher = useMemo(() => fetcherFor(token, setRefused), [token]);
  const change = next => {
    if (next) {
      sessionStorage.setItem(TOKEN, next);
    } else {
      sessionStorage.removeItem(TOKEN);
    }
    setRefused(false);
    setToken(next);
  };
  return (
    <>
      <TokenBar token={token} refused={refused} onChange={change} />
      <main>
        {token ? (
          <GraphiQL key={token} fetcher={fetcher} defaultQuery={DEFAULT_QUERY} shouldPersistHeaders={false} />
        ) : (
          <p className="welcome">
            Every request needs a token. Paste one above: it stays in this tab, is sent to this server alone, and is
            gone when the tab is closed. The token of the admin lies in <code>admin.token</code> in the data folder of
            the server.
          </p>
        )}
      </main>
    </>
  );
}

createRoot(document.getElementById('root')).render(<App />);
