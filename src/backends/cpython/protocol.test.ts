import { describe, expect, it } from 'vitest';
import {
  FrameReader,
  FrameType,
  parseHello,
  parseJudgement,
  parseLoaded,
  parseResults,
  ProtocolBreach,
} from './protocol.js';

const nonce = Buffer.alloc(16, 7);
const expected = { nonce, sequence: 3, start: 2, count: 5, width: 1 };

function resultsBody(
  change: Partial<Record<'sequence' | 'start' | 'count' | 'values' | 'status' | 'failures' | 'nonce', unknown>> = {},
): Buffer {
  const parts = {
    sequence: 3,
    start: 2,
    count: 2,
    values: [1, 2],
    status: [0, 0],
    failures: '[]',
    nonce,
    ...change,
  } as {
    sequence: number;
    start: number;
    count: number;
    values: number[];
    status: number[];
    failures: string;
    nonce: Buffer;
  };
  const head = Buffer.from(Uint32Array.of(parts.sequence, parts.start, parts.count).buffer);
  const values = Buffer.from(Float64Array.from(parts.values).buffer);
  return Buffer.concat([parts.nonce, head, values, Buffer.from(parts.status), Buffer.from(parts.failures)]);
}
const results = (payload: Buffer) => parseResults({ type: FrameType.results, payload }, expected);

function frame(type: number, payload: Buffer): Buffer {
  const header = Buffer.alloc(5);
  header.writeUInt32LE(payload.length, 0);
  header.writeUInt8(type, 4);
  return Buffer.concat([header, payload]);
}

describe('the frame reader', () => {
  it('cuts frames out of a stream, however it is split', () => {
    const stream = Buffer.concat([
      frame(1, Buffer.from('one')),
      frame(2, Buffer.alloc(0)),
      frame(3, Buffer.from('three')),
    ]);
    for (let size = 1; size <= stream.length; size++) {
      const reader = new FrameReader();
      const found: string[] = [];
      for (let at = 0; at < stream.length; at += size)
        for (const { type, payload } of reader.read(stream.subarray(at, at + size)))
          found.push(`${type}:${payload.toString()}`);
      expect(found).toEqual(['1:one', '2:', '3:three']);
    }
  });

  it('refuses a frame longer than its limit before reading it', () => {
    const reader = new FrameReader();
    reader.limitBytes = 10;
    expect(() => [...reader.read(frame(1, Buffer.alloc(11)).subarray(0, 5))]).toThrow(ProtocolBreach);
  });
});

describe('a results frame', () => {
  it('gives values and failures by row of the request', () => {
    const body = resultsBody({ values: [1.5, 0], status: [0, 255], failures: '[[3,"ValueError","no",7]]' });
    expect(results(body)).toEqual({
      start: 2,
      count: 2,
      values: Float64Array.of(1.5, NaN),
      status: Uint8Array.of(0, 255),
      failures: [{ index: 3, type: 'ValueError', message: 'no', line: 7 }],
    });
  });

  it('gets texts cut to their limits', () => {
    const failures = JSON.stringify([[2, 'T'.repeat(1000), 'm'.repeat(1000), 0]]);
    const [failure] = results(resultsBody({ status: [255, 0], failures })).failures;
    expect([failure.type.length, failure.message.length]).toEqual([100, 500]);
  });

  it.each([
    { name: 'another nonce', body: resultsBody({ nonce: Buffer.alloc(16, 8) }) },
    { name: 'another request', body: resultsBody({ sequence: 4 }) },
    { name: 'rows answered before', body: resultsBody({ start: 1 }) },
    { name: 'no rows', body: resultsBody({ count: 0, values: [], status: [] }) },
    { name: 'more rows than asked for', body: resultsBody({ count: 4, values: [1, 2, 3, 4], status: [0, 0, 0, 0] }) },
    { name: 'fewer bytes than rows', body: resultsBody({ count: 3 }) },
    { name: 'a NaN value', body: resultsBody({ values: [NaN, 1] }) },
    { name: 'a failed status without its failure', body: resultsBody({ status: [255, 0] }) },
    { name: 'an unknown status', body: resultsBody({ status: [1, 0] }) },
    { name: 'a failure without its status', body: resultsBody({ failures: '[[2,"a","b",0]]' }) },
    { name: 'a failure twice', body: resultsBody({ status: [255, 0], failures: '[[2,"a","b",0],[2,"a","b",0]]' }) },
    { name: 'a failure of another row', body: resultsBody({ status: [255, 0], failures: '[[9,"a","b",0]]' }) },
    { name: 'a negative line', body: resultsBody({ status: [255, 0], failures: '[[2,"a","b",-1]]' }) },
    { name: 'a type that is no text', body: resultsBody({ status: [255, 0], failures: '[[2,{},"b",0]]' }) },
    { name: 'failures that are no list', body: resultsBody({ failures: '{"length":0}' }) },
    { name: 'malformed JSON', body: resultsBody({ failures: '[' }) },
    { name: 'nothing', body: Buffer.alloc(0) },
  ])('with $name is a breach', ({ body }) => {
    expect(() => results(body)).toThrow(ProtocolBreach);
  });

  it('of another type is a breach', () => {
    expect(() => parseResults({ type: FrameType.loaded, payload: resultsBody() }, expected)).toThrow(ProtocolBreach);
  });
});

describe('a greeting and a load answer', () => {
  const json = (value: unknown) => Buffer.from(JSON.stringify(value));

  it('are read', () => {
    const payload = json({ python: '3.11.2', numpy: null, sandbox: 'seccomp=2', memory: 2 ** 30, cpu: -1 });
    expect(parseHello({ type: FrameType.hello, payload })).toEqual({
      python: '3.11.2',
      numpy: null,
      sandbox: 'seccomp=2',
      memoryBytes: 2 ** 30,
      cpuSeconds: null,
    });
    for (const stateful of [null, 'line 1: the source imports os']) {
      const payload = Buffer.concat([nonce, json({ stateful })]);
      expect(parseLoaded({ type: FrameType.loaded, payload }, nonce)).toEqual({ stateful });
      expect(parseJudgement({ type: FrameType.facts, payload }, nonce)).toEqual(stateful);
    }
    const silent = Buffer.concat([nonce, json({})]);
    expect(() => parseLoaded({ type: FrameType.loaded, payload: silent }, nonce)).toThrow(ProtocolBreach);
    expect(() => parseJudgement({ type: FrameType.facts, payload: silent }, nonce)).toThrow(ProtocolBreach);
    const problem = { type: 'NameError', message: 'no', line: 4 };
    expect(parseLoaded({ type: FrameType.loadFailed, payload: Buffer.concat([nonce, json(problem)]) }, nonce)).toEqual({
      problem,
    });
  });

  it('without what they must hold are a breach', () => {
    expect(() => parseHello({ type: FrameType.hello, payload: json({}) })).toThrow(ProtocolBreach);
    expect(() => parseHello({ type: FrameType.hello, payload: json(null) })).toThrow(ProtocolBreach);
    expect(() => parseLoaded({ type: FrameType.loaded, payload: json({}) }, nonce)).toThrow(ProtocolBreach);
    const noLine = Buffer.concat([nonce, json({ type: 'a', message: 'b' })]);
    expect(() => parseLoaded({ type: FrameType.loadFailed, payload: noLine }, nonce)).toThrow(ProtocolBreach);
  });
});
