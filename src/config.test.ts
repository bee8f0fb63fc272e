import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createAuthority } from '../test/support/certificates.js';
import { ConfigError, parseConfig } from './config.js';

describe('settings', () => {
  it('have the documented defaults', () => {
    expect(parseConfig({}, [])).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      dataDir: resolve('./data'),
      mongodbUrl: null,
      role: 'all',
      leaseSeconds: 60,
      bootstrapApiKey: null,
      rateLimitPerMinute: 600,
      streamsPerKey: 100,
      python: 'python3',
      pythonLimits: {
        memoryBytes: 2 ** 30,
        mostMemoryBytes: 2 ** 30,
        cpuSeconds: 3600,
        evaluationSeconds: 10,
        mostEvaluationSeconds: 10,
        loadSeconds: 60,
        outputBytes: 2 * 2 ** 20,
        processesPerRun: availableParallelism(),
        spares: 2,
      },
      maxEvaluations: 1e9,
      maxDimensions: 10_000,
      runTimeoutSeconds: 3600,
      maxBodyBytes: 4 * 1024 * 1024,
      corsOrigins: [],
      mcpHosts: [],
      webhookAllowNetworks: [],
      webhookExtraCa: null,
      logLevel: 'info',
    });
  });

  it('come from the environment, and flags win, in both spellings', () => {
    const env = { PORT: '1', HOST: '::1', PYTHON: 'off' };
    expect(parseConfig(env, ['--port', '2'])).toMatchObject({ port: 2, host: '::1', python: null });
    expect(parseConfig(env, ['--port=3', '--data-dir=/x=y'])).toMatchObject({ port: 3, dataDir: '/x=y' });
  });

  it('of what functions may ask for are never below what holds for those that ask for nothing', () => {
    const env = { PYTHON_EVALUATION_SECONDS: '60', PYTHON_MAX_MEMORY_BYTES: '4294967296' };
    const { pythonLimits } = parseConfig(env, []);
    expect(pythonLimits).toMatchObject({ evaluationSeconds: 60, mostEvaluationSeconds: 60 });
    expect(pythonLimits).toMatchObject({ memoryBytes: 2 ** 30, mostMemoryBytes: 2 ** 32 });
    expect(() => parseConfig({ ...env, PYTHON_MAX_EVALUATION_SECONDS: '59' }, [])).toThrow(
      /^PYTHON_MAX_EVALUATION_SECONDS is 59; it must be at least PYTHON_EVALUATION_SECONDS, which is 60\.$/,
    );
    expect(() => parseConfig({ PYTHON_MAX_MEMORY_BYTES: '536870912' }, [])).toThrow(
      /^PYTHON_MAX_MEMORY_BYTES is 536870912; it must be at least PYTHON_MEMORY_BYTES, which is 1073741824\.$/,
    );
  });

  it.each([
    ['PORT', '65536', /^PORT is "65536"; it must be a whole number from 0 to 65535\.$/],
    ['PORT', '0x10', /whole number/],
    ['PORT', '', /^PORT is ""/],
    ['PORT', ' 80', /whole number/],
    ['WORKERS', '0', /from 1 to 1024/],
    ['PYTHON_MEMORY_BYTES', '1000000', /^PYTHON_MEMORY_BYTES is "1000000"; it must be a whole number from 268435456 /],
    ['PYTHON_MEMORY_BYTES', '1GB', /whole number/],
    ['PYTHON_CPU_SECONDS', '0', /from 1 to/],
    ['PYTHON_EVALUATION_SECONDS', '0.5', /whole number from 1 to 86400/],
    ['PYTHON_LOAD_SECONDS', '-1', /from 1 to 3600/],
    ['PYTHON_OUTPUT_BYTES', '0', /from 65536 to/],
    ['PYTHON_PROCESSES_PER_RUN', '0', /from 1 to 1024/],
    ['PYTHON_SPARES', '65', /from 0 to 64/],
    ['LOG_LEVEL', 'loud', /one of fatal/],
    ['MONGODB_URL', 'localhost:27017', /^MONGODB_URL is not usable; it must be a MongoDB connection string/],
    ['ROLE', 'worker', /one of all, api, engine/],
    ['ROLE', 'engine', /^ROLE is engine, but MONGODB_URL is not set/],
    ['LEASE_SECONDS', '0', /from 1 to 3600/],
    ['CORS_ORIGINS', 'https://a.example/path', /origins such as/],
    ['MAX_DIMENSIONS', '10001', /from 1 to 10000/],
  ])('%s = %j stops the start with the rule', (name, value, message) => {
    expect(() => parseConfig({ [name]: value }, [])).toThrow(message);
  });

  it('take a MongoDB and a role', () => {
    const url = 'mongodb://user:pass@a:1,b:2/extremum?replicaSet=rs0';
    expect(parseConfig({ MONGODB_URL: url }, ['--role', 'engine'])).toMatchObject({ mongodbUrl: url, role: 'engine' });
    expect(() => parseConfig({ MONGODB_URL: 'mongo://u:secret@h' })).not.toThrow(/secret/);
  });

  it('name networks and authorities for webhooks', () => {
    const folder = mkdtempSync(join(tmpdir(), 'extremum-config-'));
    const { cert } = createAuthority();
    const [good, none, damaged] = ['good.pem', 'none.pem', 'damaged.pem'].map((name) => join(folder, name));
    writeFileSync(good, `# two\n${cert}${cert}`);
    writeFileSync(none, 'no certificate');
    writeFileSync(damaged, cert.replace(/[A-Za-z0-9]{4}/g, 'AAAA'));
    const flags = ['--webhook-allow-networks', '10.0.0.0/8, fd00::/8,127.0.0.1', '--webhook-extra-ca', good];
    expect(parseConfig({}, flags)).toMatchObject({
      webhookAllowNetworks: [
        { address: '10.0.0.0', prefix: 8 },
        { address: 'fd00::', prefix: 8 },
        { address: '127.0.0.1', prefix: 32 },
      ],
      webhookExtraCa: `# two\n${cert}${cert}`,
    });
    for (const path of [none, damaged, join(folder, 'missing.pem'), folder, '']) {
      expect(() => parseConfig({ WEBHOOK_EXTRA_CA: path })).toThrow(/readable file of certificates in PEM form/);
    }
    for (const networks of ['', '10.0.0.0/8,', 'internal', '10.0.0.0/40']) {
      expect(() => parseConfig({ WEBHOOK_ALLOW_NETWORKS: networks })).toThrow(/networks such as/);
    }
    rmSync(folder, { recursive: true });
  });

  it('never shows a bad bootstrap key', () => {
    expect(() => parseConfig({ BOOTSTRAP_API_KEY: '' }, [])).toThrow(
      /^BOOTSTRAP_API_KEY is empty; it must be a full API key/,
    );
  });

  it('refuses unknown arguments and missing values', () => {
    expect(() => parseConfig({}, ['--prot', '1'])).toThrow(/Unknown argument "--prot"/);
    expect(() => parseConfig({}, ['serve'])).toThrow(ConfigError);
    expect(() => parseConfig({}, ['--port'])).toThrow(/--port needs a value/);
  });
});
