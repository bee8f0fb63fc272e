/**
 * `/docs`: the OpenAPI document for people. Everything comes from this service: it works offline, and without a key.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import express, { type Router } from 'express';
import { ExtremumError } from '../common/errors.js';
import { onRoute } from './http-context.js';

/** Swagger UI styles elements in place; all else must come from here. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Addresses are relative: the page may be behind a path prefix. */
const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Extremum API</title>
    <link rel="icon" href="docs/favicon-32x32.png" />
    <link rel="stylesheet" href="docs/swagger-ui.css" />
  </head>
  <body>
    <div id="page"></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

/**
 * Requests that were tried are shown in Python and TypeScript, too: without the key, which stays in the environment.
 * The tab of curl is Swagger's own and has the key.
 */
const START = String.raw`const headersOf = (request) =>
  Object.entries(request.get('headers')?.toJS() ?? {})
    .filter(([name]) => name.toLowerCase() !== 'authorization')
    .map(([name, value]) => ', ' + quoted(name) + ': ' + quoted(value))
    .join('');
const bodyOf = (request) => {
  const body = request.get('body');
  return !body || typeof body === 'string' ? body : JSON.stringify(body.toJS?.() ?? body);
};
const quoted = (value) => JSON.stringify(value);

function python(request) {
  const headers = headersOf(request);
  const body = bodyOf(request);
  const lines = [
    'import os',
    'import requests',
    '',
    'answer = requests.request(',
    '    ' + quoted(request.get('method')) + ',',
    '    ' + quoted(request.get('url')) + ',',
    '    headers={"Authorization": "Bearer " + os.environ["EXTREMUM_API_KEY"]' + headers + '},',
    ...(body ? ['    data=' + quoted(body) + '.encode(),'] : []),
    ')',
    'answer.raise_for_status()',
    'print(answer.text)',
  ];
  return lines.join('\n');
}

function typescript(request) {
  const headers = headersOf(request);
  const body = bodyOf(request);
  const lines = [
    'const answer = await fetch(' + quoted(request.get('url')) + ', {',
    '  method: ' + quoted(request.get('method')) + ',',
    '  headers: { Authorization: "Bearer " + process.env.EXTREMUM_API_KEY' + headers + ' },',
    ...(body ? ['  body: ' + quoted(body) + ','] : []),
    '});',
    'if (!answer.ok) throw new Error(await answer.text());',
    'console.log(await answer.text());',
  ];
  return lines.join('\n');
}

SwaggerUIBundle({
  url: new URL('docs/openapi.json', location.href).href,
  dom_id: '#page',
  deepLinking: true,
  validatorUrl: null,
  persistAuthorization: false,
  requestSnippetsEnabled: true,
  requestSnippets: {
    generators: {
      curl_bash: { title: 'curl', syntax: 'bash' },
      python: { title: 'Python', syntax: 'bash' },
      typescript: { title: 'TypeScript', syntax: 'javascript' },
    },
    defaultExpanded: true,
    languages: ['curl_bash', 'python', 'typescript'],
  },
  plugins: [{ fn: { requestSnippetGenerator_python: python, requestSnippetGenerator_typescript: typescript } }],
});
`;

const HTML = 'text/html; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';

/** Media types of the files of the package swagger-ui-dist, by name. */
const ASSETS: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': SCRIPT,
  'favicon-32x32.png': 'image/png',
};

/** Looked for when it is asked for: without it only this page is missing. */
function assetFolder(): string {
  try {
    return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  } catch (cause) {
    throw new ExtremumError('unavailable', 'The package swagger-ui-dist is not installed: run `npm ci`.', { cause });
  }
}

/** `prefix`: of the public address. */
export function docsPage(openApi: () => object, prefix = ''): Router {
  const documents: Readonly<Record<string, { type: string; read: () => string | Promise<Buffer> }>> = {
    '/docs': { type: HTML, read: () => PAGE },
    '/docs/start.js': { type: SCRIPT, read: () => START },
    '/docs/openapi.json': { type: 'application/json; charset=utf-8', read: () => JSON.stringify(openApi()) },
    ...Object.fromEntries(
      Object.entries(ASSETS).map(([name, type]) => [
        `/docs/${name}`,
        { type, read: () => readFile(join(assetFolder(), name)) },
      ]),
    ),
  };
  const router = express.Router({ caseSensitive: true });
  for (const [path, { type, read }] of Object.entries(documents)) {
    router.all(path, onRoute(path));
    router.get(path, async (req, res) => {
      // What the page loads is named from where it is.
      if (path === '/docs' && req.path.endsWith('/')) return res.redirect(302, `${prefix}/docs`);
      res.setHeader('Content-Type', type);
      res.setHeader('Content-Security-Policy', POLICY);
      res.setHeader('Referrer-Policy', 'no-referrer');
      res.send(await read());
    });
    router.all(path, (req, res) => {
      res.setHeader('Allow', 'GET, HEAD, OPTIONS');
      if (req.method === 'OPTIONS') res.status(204).end();
      else throw new ExtremumError('method_not_allowed', `${req.method} is not allowed here.`);
    });
  }
  return router;
}
