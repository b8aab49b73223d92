package procedures

import (
	treesitter "github.com/tree-sitter/go-tree-sitter"
	python "github.com/tree-sitter/tree-sitter-python/bindings/go"
)

// kind is a kind of node. The grammar has several symbols for some of them. It is an alias because no switch is ever
// about all of them.
type kind = uint8

// The kinds that the analysis knows. Code with any other is not proven.
const (
	kUnknown     kind = iota
	kSoftKeyword      // match, case, type, print, exec, _ and __future__ where they are no identifiers
	kAliasedImport
	kArgumentList
	kAsPattern
	kAsPatternTarget
	kAssertStatement
	kAssignment
	kAttribute
	kAugmentedAssignment
	kAwait
	kBinaryOperator
	kBlock
	kBooleanOperator
	kBreakStatement
	kCall
	kCaseClause
	kCasePattern
	kChevron
	kClassDefinition
	kClassPattern
	kComparisonOperator
	kComplexPattern
	kConcatenatedString
	kConditionalExpression
	kConstrainedType
	kContinueStatement
	kDecoratedDefinition
	kDecorator
	kDefaultParameter
	kDeleteStatement
	kDictPattern
	kDictionary
	kDictionaryComprehension
	kDictionarySplat
	kDictionarySplatPattern
	kDottedName
	kElifClause
	kEllipsis
	kElseClause
	kExceptClause
	kExceptGroupClause
	kExecStatement
	kExpressionList
	kExpressionStatement
	kFalse
	kFinallyClause
	kFloat
	kForInClause
	kForStatement
	kFormatExpression
	kFormatSpecifier
	kFunctionDefinition
	kFutureImportStatement
	kGeneratorExpression
	kGenericType
	kGlobalStatement
	kIdentifier
	kIfClause
	kIfStatement
	kImportFromStatement
	kImportPrefix
	kImportStatement
	kInteger
	kInterpolation
	kKeywordArgument
	kKeywordPattern
	kKeywordSeparator
	kLambda
	kLambdaParameters
	kList
	kListComprehension
	kListPattern
	kListSplat
	kListSplatPattern
	kMatchStatement
	kMemberType
	kModule
	kNamedExpression
	kNone
	kNonlocalStatement
	kNotOperator
	kPair
	kParameters
	kParenthesizedExpression
	kPassStatement
	kPatternList
	kPositionalSeparator
	kPrintStatement
	kRaiseStatement
	kRelativeImport
	kReturnStatement
	kSet
	kSetComprehension
	kSlice
	kSplatPattern
	kSplatType
	kString
	kSubscript
	kTrue
	kTryStatement
	kTuple
	kTuplePattern
	kTypeAliasStatement
	kType
	kTypeParameter
	kTypedDefaultParameter
	kTypedParameter
	kUnaryOperator
	kUnionPattern
	kUnionType
	kWhileStatement
	kWildcardImport
	kWithClause
	kWithItem
	kWithStatement
	kYield
)

// kindsByName has the grammar's names for the kinds.
var kindsByName = map[string]kind{
	"aliased_import":           kAliasedImport,
	"argument_list":            kArgumentList,
	"as_pattern":               kAsPattern,
	"as_pattern_target":        kAsPatternTarget,
	"assert_statement":         kAssertStatement,
	"assignment":               kAssignment,
	"attribute":                kAttribute,
	"augmented_assignment":     kAugmentedAssignment,
	"await":                    kAwait,
	"binary_operator":          kBinaryOperator,
	"block":                    kBlock,
	"boolean_operator":         kBooleanOperator,
	"break_statement":          kBreakStatement,
	"call":                     kCall,
	"case_clause":              kCaseClause,
	"case_pattern":             kCasePattern,
	"chevron":                  kChevron,
	"class_definition":         kClassDefinition,
	"class_pattern":            kClassPattern,
	"comparison_operator":      kComparisonOperator,
	"complex_pattern":          kComplexPattern,
	"concatenated_string":      kConcatenatedString,
	"conditional_expression":   kConditionalExpression,
	"constrained_type":         kConstrainedType,
	"continue_statement":       kContinueStatement,
	"decorated_definition":     kDecoratedDefinition,
	"decorator":                kDecorator,
	"default_parameter":        kDefaultParameter,
	"delete_statement":         kDeleteStatement,
	"dict_pattern":             kDictPattern,
	"dictionary":               kDictionary,
	"dictionary_comprehension": kDictionaryComprehension,
	"dictionary_splat":         kDictionarySplat,
	"dictionary_splat_pattern": kDictionarySplatPattern,
	"dotted_name":              kDottedName,
	"elif_clause":              kElifClause,
	"ellipsis":                 kEllipsis,
	"else_clause":              kElseClause,
	"except_clause":            kExceptClause,
	"except_group_clause":      kExceptGroupClause,
	"exec_statement":           kExecStatement,
	"expression_list":          kExpressionList,
	"expression_statement":     kExpressionStatement,
	"false":                    kFalse,
	"finally_clause":           kFinallyClause,
	"float":                    kFloat,
	"for_in_clause":            kForInClause,
	"for_statement":            kForStatement,
	"format_expression":        kFormatExpression,
	"format_specifier":         kFormatSpecifier,
	"function_definition":      kFunctionDefinition,
	"future_import_statement":  kFutureImportStatement,
	"generator_expression":     kGeneratorExpression,
	"generic_type":             kGenericType,
	"global_statement":         kGlobalStatement,
	"identifier":               kIdentifier,
	"if_clause":                kIfClause,
	"if_statement":             kIfStatement,
	"import_from_statement":    kImportFromStatement,
	"import_prefix":            kImportPrefix,
	"import_statement":         kImportStatement,
	"integer":                  kInteger,
	"interpolation":            kInterpolation,
	"keyword_argument":         kKeywordArgument,
	"keyword_pattern":          kKeywordPattern,
	"keyword_separator":        kKeywordSeparator,
	"lambda":                   kLambda,
	"lambda_parameters":        kLambdaParameters,
	"list":                     kList,
	"list_comprehension":       kListComprehension,
	"list_pattern":             kListPattern,
	"list_splat":               kListSplat,
	"list_splat_pattern":       kListSplatPattern,
	"match_statement":          kMatchStatement,
	"member_type":              kMemberType,
	"module":                   kModule,
	"named_expression":         kNamedExpression,
	"none":                     kNone,
	"nonlocal_statement":       kNonlocalStatement,
	"not_operator":             kNotOperator,
	"pair":                     kPair,
	"parameters":               kParameters,
	"parenthesized_expression": kParenthesizedExpression,
	"pass_statement":           kPassStatement,
	"pattern_list":             kPatternList,
	"positional_separator":     kPositionalSeparator,
	"print_statement":          kPrintStatement,
	"raise_statement":          kRaiseStatement,
	"relative_import":          kRelativeImport,
	"return_statement":         kReturnStatement,
	"set":                      kSet,
	"set_comprehension":        kSetComprehension,
	"slice":                    kSlice,
	"splat_pattern":            kSplatPattern,
	"splat_type":               kSplatType,
	"string":                   kString,
	"subscript":                kSubscript,
	"true":                     kTrue,
	"try_statement":            kTryStatement,
	"tuple":                    kTuple,
	"tuple_pattern":            kTuplePattern,
	"type_alias_statement":     kTypeAliasStatement,
	"type":                     kType,
	"type_parameter":           kTypeParameter,
	"typed_default_parameter":  kTypedDefaultParameter,
	"typed_parameter":          kTypedParameter,
	"unary_operator":           kUnaryOperator,
	"union_pattern":            kUnionPattern,
	"union_type":               kUnionType,
	"while_statement":          kWhileStatement,
	"wildcard_import":          kWildcardImport,
	"with_clause":              kWithClause,
	"with_item":                kWithItem,
	"with_statement":           kWithStatement,
	"yield":                    kYield,
}

// field is the role of a node in its parent.
type field = uint8

// The fields that the analysis looks at.
const (
	fieldNone field = iota
	fieldAlias
	fieldArguments
	fieldAttribute
	fieldBody
	fieldFunction
	fieldKey
	fieldLeft
	fieldModuleName
	fieldName
	fieldObject
	fieldParameters
	fieldReturnType
	fieldRight
	fieldSubject
	fieldSuperclasses
	fieldType
	fieldTypeParameters
	fieldValue
)

var fieldsByName = map[string]field{
	"alias":           fieldAlias,
	"arguments":       fieldArguments,
	"attribute":       fieldAttribute,
	"body":            fieldBody,
	"function":        fieldFunction,
	"key":             fieldKey,
	"left":            fieldLeft,
	"module_name":     fieldModuleName,
	"name":            fieldName,
	"object":          fieldObject,
	"parameters":      fieldParameters,
	"return_type":     fieldReturnType,
	"right":           fieldRight,
	"subject":         fieldSubject,
	"superclasses":    fieldSuperclasses,
	"type":            fieldType,
	"type_parameters": fieldTypeParameters,
	"value":           fieldValue,
}

// leftOut are named leaves that say nothing that the text does not say.
var leftOut = wordSet(`comment line_continuation string_start string_content string_end escape_sequence
	escape_interpolation type_conversion`)

// softKeywords are the words that are keywords only in some places.
var softKeywords = wordSet("match case type print exec _ __future__")

// grammar translates the numbers of the linked grammar.
type grammar struct {
	kinds  []kind  // by symbol
	keep   []bool  // by symbol; everything else is left out of the copied tree
	fields []field // by field id
}

// pythonGrammar is made once and never changes.
var pythonGrammar = loadGrammar()

func loadGrammar() *grammar {
	prepareParser(python.Language())
	language := treesitter.NewLanguage(python.Language())
	g := &grammar{fields: []field{fieldNone}}
	for id := range uint16(language.NodeKindCount()) {
		name := language.NodeKindForId(id)
		k := kUnknown
		keep := language.NodeKindIsNamed(id) && !leftOut[name]
		if keep {
			k = kindsByName[name]
		} else if softKeywords[name] {
			k, keep = kSoftKeyword, true
		}
		g.kinds = append(g.kinds, k)
		g.keep = append(g.keep, keep)
	}
	for id := uint16(1); uint32(id) <= language.FieldCount(); id++ {
		g.fields = append(g.fields, fieldsByName[language.FieldNameForId(id)])
	}
	return g
}
