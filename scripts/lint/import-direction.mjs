/**
 * ESLint rule: who may import whom under `src/`. The folders are the architecture, and arrows between them go one way;
 * this file is where that is written down. A new folder needs a line in ALLOWED (the rule reports one that has none).
 */
import path from 'node:path';

/**
 * Folder -> what it may import besides itself and `common/`. An entry with a slash is one contract file: knowing what
 * a strategy is differs from knowing which strategies there are. Of the store a folder sees the parts that it uses
 * (`storage/contract/`), or all of them (`storage/store`).
 */
export const ALLOWED = {
  common: [],
  model: [],
  ir: [],
  linalg: [],
  frontend: ['ir', 'model'],
  passes: ['ir', 'model'],
  backends: ['ir', 'model'],
  pareto: ['model'],
  strategies: ['model', 'linalg', 'pareto'],
  domains: ['model', 'linalg', 'pareto', 'explanation/say', 'explanation/visuals/plot'],
  analysis: ['ir', 'model', 'linalg', 'passes'],
  storage: ['model'],
  planner: ['model', 'analysis', 'strategies'],
  explanation: ['model', 'analysis', 'pareto'],
  // Lessons and updates refer to leaders and to classes of problems by their places in the planner's lists.
  learning: ['model', 'analysis', 'storage/contract/learning', 'planner/leaders', 'planner/problem-classes'],
  benchmarks: ['model', 'engine', 'strategies/strategy', 'backends/backend', 'planner/all-strategies'],
  verification: ['model', 'ir', 'backends/backend'],
  // Placement: the only room that knows which backends there are.
  evaluation: [
    'model',
    'ir/types',
    'analysis',
    'frontend',
    'passes',
    'verification',
    'strategies/strategy',
    'backends/backend',
    'backends/registry',
    'backends/remote-kernel',
  ],
  engine: [
    'model',
    'ir/types',
    'strategies/strategy',
    'strategies/suitability',
    'strategies/side-by-side',
    'backends/backend',
    'evaluation/batch-evaluator',
    'evaluation/placement-words',
    'evaluation/program-reader',
    'verification/checks',
    'planner',
    'pareto',
  ],
  webhooks: [
    'model',
    'storage/contract/webhooks',
    'storage/rules/deliveries',
    'storage/rules/webhook-health',
    'jobs/jobs',
  ],
  // Agenda keeps its rows beside the store's, through the same connection settings.
  jobs: ['storage/mongodb/database'],
  identity: ['model', 'storage/contract/identity', 'storage/contract/sessions'],
  runs: [
    'model',
    'ir/types',
    'analysis',
    'frontend',
    'passes',
    'planner/all-strategies',
    'evaluation',
    'verification/checks',
    'engine',
    'pareto',
    'learning',
    'storage/store',
    'storage/contract/runs',
    'storage/contract/functions',
    'storage/contract/deletion',
    'strategies/suitability',
    'jobs/jobs',
    'backends/backend',
    'domains',
  ],
  exports: ['model'],
  analytics: ['model', 'storage/contract/analytics', 'jobs/jobs'],
  conversations: ['model', 'domains', 'storage/contract/conversations'],
  studies: [
    'model',
    'engine',
    'planner',
    'pareto',
    'strategies/strategy',
    'strategies/extra-points',
    'storage/contract/studies',
  ],
  api: [
    'model',
    'runs',
    'explanation',
    'learning',
    'strategies/suitability',
    'planner/leaders',
    'planner/problem-classes',
    'identity',
    'analytics',
    'exports',
    'studies',
    'conversations',
    'domains',
    'webhooks',
    'storage/contract/settings',
    'storage/contract/idempotency',
    'storage/contract/counting',
    'jobs/jobs',
  ],
  // A composition root: whatever is needed.
  library: [],
};

/**
 * Rooms of a folder: room -> rooms of the same folder that it may import. Files beside the rooms may import all of
 * them, and no room imports those.
 */
const ROOMS = {
  frontend: {
    syntax: [],
    values: ['syntax'],
    machine: ['syntax', 'values'],
    arrays: ['syntax', 'values', 'machine'],
    library: ['syntax', 'values', 'machine', 'arrays'],
    run: ['syntax', 'values', 'machine', 'arrays', 'library'],
  },
};

/** What to do about the commonest wrong arrows; others get the general advice. */
const ADVICE = {
  'strategies -> backends': 'Both speak CandidateBatch (src/model/): let the engine carry candidates between them.',
  'backends -> strategies': 'Both speak CandidateBatch (src/model/): let the engine carry candidates between them.',
  'backends -> frontend':
    'A backend gets an Objective (source and IR) at open(): add what is missing to that contract.',
  'backends -> passes': 'Run the pass before the objective is opened, where it is compiled (src/evaluation/).',
  'ir -> frontend': 'The IR knows no Python: resolve it in the front end.',
  'engine -> backends': 'Take a Backend (src/backends/backend.ts) as an argument; a composition root passes it in.',
  'engine -> strategies': 'Take a StrategyFactory (src/strategies/strategy.ts) as an argument.',
  'runs -> backends': 'Ask src/evaluation/ for kernels: it decides where an objective is evaluated.',
  'engine -> storage': 'Report through a callback or a contract on model types; src/runs/ writes it down.',
  'api -> engine': 'Call src/runs/: it owns the life of a run.',
  'api -> frontend': 'Call src/runs/: it owns what happens to an upload.',
};

/** Files that put the parts together and therefore may name concrete classes. */
const COMPOSITION_ROOTS = [/^(main|app|config|local-runs|sandboxed-python)\.ts$/, /^(cli|library)\//];

/** Nobody imports these from inside the layers: they are the top. `config` is passed down, not fetched. */
const TOPS = ['main', 'app', 'config', 'local-runs', 'sandboxed-python', 'cli', 'library'];

/** Package -> where it may be imported; the rest of the tree stays free of its types. */
const PACKAGES = {
  express: { where: /^api\//, advice: 'Map at the edge: handlers live in src/api/.' },
  'express-rate-limit': { where: /^api\//, advice: 'Limits of requests live in src/api/.' },
  mongodb: { where: /^(storage|jobs)\/mongodb/, advice: 'Speak to the contract in src/storage/store.ts.' },
  '@photostructure/sqlite': {
    where: /^(storage|jobs)\/sqlite/,
    advice: 'Speak to the contract in src/storage/store.ts.',
  },
  'node:sqlite': { where: /^(storage|jobs)\/sqlite/, advice: 'Speak to the contract in src/storage/store.ts.' },
  agenda: { where: /^jobs\//, advice: 'Define and nudge jobs through src/jobs/jobs.ts.' },
  '@agendajs/mongo-backend': { where: /^jobs\/mongodb/, advice: 'Define and nudge jobs through src/jobs/jobs.ts.' },
  '@resvg/resvg-wasm': { where: /^common\/rasterize/, advice: 'Pictures become pixels in src/common/rasterize.ts.' },
  '@modelcontextprotocol/sdk': { where: /^api\/mcp\//, advice: 'Tools and their answers live in src/api/mcp/.' },
  'prom-client': { where: /^api\//, advice: 'Report through a contract (src/runs/metrics.ts).' },
  piscina: {
    where: /^(backends|benchmarks|runs|studies)\//,
    advice: 'Worker pools live in src/backends/, src/benchmarks/, src/runs/ and src/studies/.',
  },
  highs: {
    where: /^domains\/solvers\/highs\//,
    advice: 'Write the programme down (src/domains/solvers/linear-program.ts) and call context.solveLinear.',
  },
  'csv-stringify': { where: /^exports\//, advice: 'Files of reports are written in src/exports/.' },
  pdfkit: { where: /^exports\//, advice: 'Files of reports are written in src/exports/.' },
  vitest: { where: /\.test\.ts$/, advice: 'Test code lives in *.test.ts and test/.' },
};

/** @type {import('eslint').Rule.RuleModule} */
export default {
  meta: {
    type: 'problem',
    docs: { description: 'keep the import directions between the folders of src/' },
    messages: {
      direction: "'{{from}}' must not import '{{to}}'. {{advice}} (table: scripts/lint/import-direction.mjs)",
      package: "'{{name}}' must not be imported here. {{advice}} (table: scripts/lint/import-direction.mjs)",
      room:
        "'{{from}}' must not import '{{to}}': it may import {{list}}. Reach the rest through an interface of a room " +
        'below, or move what is shared down. (table: scripts/lint/import-direction.mjs)',
      unknownFolder:
        "Folder 'src/{{folder}}' has no line in scripts/lint/import-direction.mjs: say what it may import.",
    },
    schema: [],
  },
  create(context) {
    const source = path.relative(path.join(context.cwd, 'src'), context.filename).replaceAll(path.sep, '/');
    if (source.startsWith('../')) return {};
    const isTest = source.endsWith('.test.ts');
    const isRoot = COMPOSITION_ROOTS.some((pattern) => pattern.test(source));
    const folder = source.includes('/') ? source.slice(0, source.indexOf('/')) : source.replace(/\.ts$/, '');

    const checkPackage = (node, name) => {
      const rule = PACKAGES[name];
      if (rule === undefined || isRoot || (isTest && name !== 'vitest') || rule.where.test(source)) return;
      context.report({ node, messageId: 'package', data: { name, advice: rule.advice } });
    };

    const checkRoom = (node, target) => {
      const rooms = ROOMS[folder];
      const from = rooms === undefined ? null : source.split('/')[1];
      if (from === null || !(from in rooms)) return;
      const to = target.split('/')[1];
      if (to === from || rooms[from].includes(to)) return;
      const list = [from, ...rooms[from]].join(', ');
      context.report({ node, messageId: 'room', data: { from: `${folder}/${from}`, to: target, list } });
    };

    const checkFile = (node, specifier) => {
      const target = path.posix.normalize(path.posix.join(path.posix.dirname(source), specifier));
      // Tests beside a file may use any part to build what they test; what they import still shows in review.
      if (isTest || isRoot || target.startsWith('../')) return;
      const toFolder = target.includes('/') ? target.slice(0, target.indexOf('/')) : target.replace(/\.js$/, '');
      if (toFolder === folder) {
        checkRoom(node, target);
        return;
      }
      if (!(folder in ALLOWED)) {
        context.report({ node, messageId: 'unknownFolder', data: { folder } });
        return;
      }
      if (toFolder === 'common') return;
      const allowed = ALLOWED[folder];
      if (allowed.includes(toFolder) || allowed.includes(target.replace(/\.js$/, ''))) return;
      context.report({
        node,
        messageId: 'direction',
        data: { from: folder, to: target.replace(/\.js$/, ''), advice: advise(folder, toFolder, allowed) },
      });
    };

    const check = (node, value) => {
      if (typeof value !== 'string') return;
      if (value.startsWith('.')) checkFile(node, value);
      else
        checkPackage(
          node,
          value.startsWith('@') ? value.split('/').slice(0, 2).join('/') : value.replace(/^([^/]+)\/.*$/, '$1'),
        );
    };

    return {
      ImportDeclaration: (node) => check(node, node.source.value),
      ExportNamedDeclaration: (node) => check(node, node.source?.value),
      ExportAllDeclaration: (node) => check(node, node.source.value),
      ImportExpression: (node) => check(node, node.source.value),
      TSImportType: (node) => check(node, (node.source ?? node.argument?.literal)?.value),
    };
  },
};

function advise(from, to, allowed) {
  const specific = ADVICE[`${from} -> ${to}`];
  if (specific !== undefined) return specific;
  if (TOPS.includes(to)) return 'Take what you need as an argument; only composition roots stand above the layers.';
  const contracts = allowed.filter((entry) => entry.startsWith(`${to}/`)).map((entry) => `src/${entry}.ts`);
  if (contracts.length > 0) {
    const which = contracts.length === 1 ? 'the contract' : 'the contracts';
    return `Only ${which} ${contracts.join(', ')} ${contracts.length === 1 ? 'is' : 'are'} open to it: take the rest as an argument.`;
  }
  const list = ['common', ...allowed].join(', ');
  return `It may import: ${list}. Take the other part as an argument, or move the shared type down to src/model/.`;
}
