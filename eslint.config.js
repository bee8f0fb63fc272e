/**
 * Lint rules. Layout is prettier's business. The rules on types need the type checker and cover all of our TypeScript;
 * the import directions between folders are in scripts/lint/import-direction.mjs.
 */
import tseslint from 'typescript-eslint';
import importDirection from './scripts/lint/import-direction.mjs';

const extremum = { rules: { 'import-direction': importDirection } };

/** Parts whose results must repeat bit for bit: no clock, no chance. */
const DETERMINISTIC = [
  'src/analysis/**',
  'src/frontend/**',
  'src/ir/**',
  'src/linalg/**',
  'src/model/**',
  'src/passes/**',
  'src/planner/**',
  'src/strategies/**',
];

const ownGenerator = {
  object: 'Math',
  property: 'random',
  message: 'Not repeatable: take a generator (src/common/) that was made from the seed.',
};

export default tseslint.config(
  {
    ignores: [
      ...['dist/', 'build/', 'prebuilds/', 'data/', 'coverage/', 'node_modules/', 'bench/results/'],
      ...['examples/*-client/build/', 'examples/*-client/*.d.ts'],
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.{js,mjs,ts,tsx}'],
    plugins: { '@typescript-eslint': tseslint.plugin, extremum },
    languageOptions: { parser: tseslint.parser, ecmaVersion: 2023, sourceType: 'module' },
    rules: {
      'extremum/import-direction': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      eqeqeq: 'error',
      // Prettier breaks code, and no comments.
      'max-len': [
        'error',
        { code: 10_000, comments: 120, ignoreUrls: true, ignoreStrings: true, ignoreTemplateLiterals: true },
      ],
      'no-constant-binary-expression': 'error',
      'no-duplicate-imports': 'off',
      'no-else-return': 'error',
      'no-empty': 'error',
      'no-eval': 'error',
      'no-fallthrough': 'error',
      'no-implied-eval': 'error',
      'no-loss-of-precision': 'error',
      'no-restricted-properties': ['error', ownGenerator],
      'no-sparse-arrays': 'error',
      'no-template-curly-in-string': 'error',
      'no-unsafe-finally': 'error',
      'no-useless-escape': 'error',
      'no-var': 'error',
      'object-shorthand': 'error',
      'prefer-const': 'error',
      'use-isnan': 'error',
    },
  },
  {
    files: ['dashboard/**/*.{ts,tsx}'],
    languageOptions: { parserOptions: { project: './dashboard/tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': ['error', { ignoreVoid: true }],
      // Text of users reaches the document as text nodes only.
      'no-restricted-syntax': [
        'error',
        { selector: 'JSXAttribute[name.name="dangerouslySetInnerHTML"]', message: 'Text becomes text nodes.' },
        { selector: 'MemberExpression[property.name=/^(inner|outer)HTML$/]', message: 'Text becomes text nodes.' },
      ],
    },
  },
  {
    files: ['src/**/*.ts', 'test/**/*.ts', 'bench/**/*.ts'],
    languageOptions: { parserOptions: { project: './tsconfig.test.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports' }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': ['error', { ignoreVoid: true }],
      '@typescript-eslint/no-for-in-array': 'error',
      '@typescript-eslint/no-unnecessary-type-assertion': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false } }],
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/prefer-promise-reject-errors': ['error', { allowThrowingUnknown: true }],
      '@typescript-eslint/return-await': ['error', 'in-try-catch'],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      'no-restricted-syntax': ['error', { selector: 'PrivateIdentifier', message: 'Members are hidden by `private`.' }],
    },
  },
  {
    files: DETERMINISTIC,
    ignores: ['**/*.test.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        ownGenerator,
        { object: 'Date', property: 'now', message: 'No clock here: results must depend on the arguments only.' },
        {
          object: 'performance',
          property: 'now',
          message: 'No clock here: results must depend on the arguments only.',
        },
      ],
    },
  },
  {
    // The parser's way out of a deep descent carries a diagnostic and is caught in the same file: it needs no stack.
    files: ['src/frontend/syntax/token*.ts', 'src/frontend/syntax/parser.ts'],
    rules: { '@typescript-eslint/only-throw-error': 'off' },
  },
  {
    files: ['test/**', 'bench/**', '**/*.test.ts', 'scripts/**'],
    rules: {
      'no-restricted-properties': 'off',
      'no-loss-of-precision': 'off',
      '@typescript-eslint/only-throw-error': 'off',
    },
  },
);
