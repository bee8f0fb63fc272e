import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../common/dist-entry.js';
import { RUN_EVENT_TYPES, streamName } from './run-event.js';
import { SUBSCRIPTIONS } from './webhook.js';

describe('events of a run', () => {
  it('have a name each on the stream', () => {
    const names = RUN_EVENT_TYPES.map(streamName);
    expect(new Set(names).size).toBe(RUN_EVENT_TYPES.length);
    // The stream's message that is no event.
    expect(names).not.toContain('progress');
  });

  it('are those of the table in the guide, where webhooks are told them', () => {
    const guide = readFileSync(join(packageRoot(), 'docs/guides/webhooks.md'), 'utf8');
    const [, rows = ''] = /^\| type \| .*\n\| --- .*\n((?:\|.*\n)+)/m.exec(guide) ?? [];
    const named = [...rows.matchAll(/^\| `([^`]+)` \|/gm)].map(([, type]) => type);
    expect(named.sort()).toEqual([...SUBSCRIPTIONS.filter((type) => type !== '*'), 'webhook.test'].sort());
  });
});
