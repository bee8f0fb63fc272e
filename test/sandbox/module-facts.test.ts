/** What an interpreter says of its modules, asked in a worker. */
import { afterAll, describe, expect, it } from 'vitest';
import { makeBackend, skipWithoutSandbox } from './support.js';

describe('what a module has', () => {
  skipWithoutSandbox();
  const backend = makeBackend();
  afterAll(() => backend.close());

  it('are its names, what it lacks, and modules inside of it, which may be attributes or not', async () => {
    const code =
      'import xml, math\nimport xml.dom\nfrom xml import sax\nxml.dom, xml.nosuch, math.sin, math.nosuch, xml.sax, xml.etree';
    const { modules } = await backend.facts(code);
    expect(modules['math']).toMatchObject({ raises: null, has: ['sin'], parts: [] });
    expect(modules['math'].lacks).toContain('nosuch');
    expect(modules['xml']).toMatchObject({ raises: null, has: [], parts: ['dom', 'etree', 'sax'] });
    expect(modules['xml'].lacks).toContain('nosuch');
    expect(modules['xml'].lacks).not.toContain('dom');
  });

  it('does not depend on what other modules import first', async () => {
    // xml.dom.minidom imports xml.dom and others.
    const { modules } = await backend.facts(
      'import xml.dom.minidom as a\nimport xml\nimport json\nxml.dom, json.decoder',
    );
    expect(modules['xml']).toMatchObject({ has: [], parts: ['dom'] });
    expect(modules['json'].has).toContain('decoder');
  });
});
