import { describe, expect, test } from 'vitest';
import type { Backend, BackendCapabilities, Kernel, Objective } from '../backends/backend.js';
import { BACKENDS, type BackendOptions, type BackendRegistration } from '../backends/registry.js';
import { ExtremumError } from '../common/errors.js';
import { IrBuilder } from '../ir/builder.js';
import { place, probe } from './placement.js';

const b = new IrBuilder('first', 1);
const ir = b.finish(b.x(0));
const objective: Objective = { source: { code: '', entry: 'f', argument: 'ndarray' }, dimension: 1, ir };
const request = { threads: 3, stop: new Int32Array(1), plannedEvaluations: 100 };

interface Fake {
  readonly precision?: BackendCapabilities['precision'];
  readonly arithmetic?: BackendCapabilities['arithmetic'];
  readonly input?: 'ir' | 'python';
  readonly isDevice?: boolean;
  readonly isSingle?: boolean;
  /** Why it cannot work here. */
  readonly missing?: string;
  /** The host was not made for it. */
  readonly isAbsent?: true;
  /** Thrown by `open`. */
  readonly refusal?: Error;
  /** Gets the options of each backend that is made. */
  readonly made?: BackendOptions[];
  /** Gets the names of kernels and backends as they are closed. */
  readonly closed?: string[];
}

const fake = (
  name: string,
  { precision = 'f64', arithmetic = 'exact', input = 'ir', ...fake }: Fake = {},
): BackendRegistration => ({
  name,
  input,
  isDevice: fake.isDevice,
  isSingle: fake.isSingle,
  create(options) {
    const { missing, isAbsent, refusal, made, closed = [] } = fake;
    made?.push(options);
    const backend: Pick<Backend, 'capabilities' | 'probe' | 'open' | 'close'> = {
      capabilities: { input, precision, arithmetic },
      probe: async () =>
        missing === undefined ? { available: true, device: 'fake' } : { available: false, reason: missing, isAbsent },
      open: async () => {
        if (refusal !== undefined) throw refusal;
        return { backend: name, device: 'fake', close: async () => void closed.push(`kernel of ${name}`) } as Kernel;
      },
      close: async () => void closed.push(name),
    };
    return backend as Backend;
  },
});

describe('an objective is placed', () => {
  test('on the first backend that works here and takes it, and the reason tells of those before', async () => {
    const tooLarge = new ExtremumError('backend_unavailable', 'the program is too large');
    const backends = [
      fake('python', { input: 'python' }),
      fake('cuda', { missing: 'no device' }),
      fake('small', { refusal: tooLarge }),
      fake('plain'),
      fake('slow'),
    ];
    const { kernel, reason } = await place(objective, request, backends);
    expect(kernel.backend).toBe('plain');
    expect(reason).toBe(
      'the source compiles, and plain is the fastest backend that takes it; ' +
        'passed over cuda: no device; small: the program is too large',
    );
  });

  test('on a backend without bits to rely on only where fast arithmetic is asked for', async () => {
    const backends = [fake('quick', { arithmetic: 'fast' }), fake('plain')];
    const placed = async (math?: 'exact' | 'fast'): Promise<[string, string]> => {
      const { kernel, reason } = await place(objective, { ...request, math }, backends);
      return [kernel.backend, reason];
    };
    const plain = ['plain', 'the source compiles, and plain is the fastest backend that takes it'];
    expect(await placed()).toEqual(plain);
    expect(await placed('exact')).toEqual(plain);
    expect(await placed('fast')).toEqual([
      'quick',
      'the source compiles, and quick is the fastest backend that takes it',
    ]);
  });

  test('never on a backend of single precision, which nobody has asked for', async () => {
    const backends = [fake('single', { precision: 'f32' }), fake('plain')];
    for (const math of ['exact', 'fast'] as const) {
      expect((await place(objective, { ...request, math }, backends)).kernel.backend).toBe('plain');
    }
  });

  test('beside a device only where the run permits one and is long enough for it', async () => {
    const made: BackendOptions[] = [];
    const closed: string[] = [];
    const backends = [fake('gpu', { isDevice: true, made, closed }), fake('plain', { closed })];
    const plain = 'the source compiles, and plain is the fastest backend that takes it';
    const long = { ...request, plannedEvaluations: 1e9 };
    for (const short of [request, long, { ...request, gpu: true }, { ...long, gpu: true, math: 'fast' as const }]) {
      const { kernel, reason } = await place(objective, short, backends);
      expect([kernel.backend, kernel.gpu, reason]).toEqual(['plain', undefined, plain]);
    }
    expect(made).toEqual([]);
    const { kernel, reason, close } = await place(objective, { ...long, gpu: true }, backends);
    expect(reason).toBe('the source compiles, and plain is the fastest backend of the processor that takes it');
    expect(kernel.gpu).toEqual({ backend: 'gpu', evaluations: 0, seconds: 0 });
    expect(made).toEqual([{ cancelFlag: request.stop }]);
    await close();
    expect(closed).toEqual(['kernel of plain', 'plain', 'gpu']);
  });

  test('on a device for single precision, or in double precision with the reason', async () => {
    const made: BackendOptions[] = [];
    const single = { ...request, gpu: true, precision: 'f32' as const };
    const device = (more: Fake = {}): BackendRegistration[] => [
      fake('gpu', { isDevice: true, made, ...more }),
      fake('plain'),
    ];
    const { kernel, close } = await place(objective, single, device());
    expect(kernel.reason).toMatch(/^single precision was asked for/);
    expect(made).toEqual([{ cancelFlag: request.stop, math: 'exact', precision: 'f32' }]);
    await close();
    const instead = async (more: object, backends: BackendRegistration[]): Promise<string> =>
      (await place(objective, { ...single, ...more }, backends)).reason;
    const because = 'values are in double precision instead of single, because';
    expect(await instead({ gpu: false }, device())).toContain(`${because} GPU acceleration is switched off`);
    expect(await instead({}, [fake('plain')])).toContain(`${because} this host has no GPU`);
    expect(await instead({}, device({ missing: 'it is too old' }))).toContain(`${because} it is too old`);
    const refusal = new ExtremumError('backend_unavailable', 'it has no form of `mantissa`');
    expect(await instead({}, device({ refusal }))).toContain(`${because} it has no form`);
    await expect(instead({}, device({ refusal: new TypeError('a defect') }))).rejects.toThrow('a defect');
  });

  test('on the first device that takes it in single precision, and never in double on one that has none', async () => {
    const closed: string[] = [];
    const both = (first: Fake, second: Fake): BackendRegistration[] => [
      fake('cuda', { isDevice: true, closed, ...first }),
      fake('tfjs', { isDevice: true, isSingle: true, closed, ...second }),
      fake('plain', { closed }),
    ];
    const placed = async (backends: BackendRegistration[], more: object = {}): Promise<string> => {
      const { kernel, reason, close } = await place(objective, { ...request, gpu: true, ...more }, backends);
      const { gpu } = kernel;
      await close();
      return gpu?.backend ?? reason;
    };
    const single = { precision: 'f32' };
    const absent = { missing: 'no driver', isAbsent: true } as const;
    expect(await placed(both({}, {}), single)).toBe('cuda');
    expect(await placed(both(absent, {}), single)).toBe('tfjs');
    expect(closed.splice(0).sort()).toEqual([
      'cuda',
      'cuda',
      'kernel of cuda',
      'kernel of plain',
      'kernel of plain',
      'kernel of tfjs',
      'plain',
      'plain',
      'tfjs',
    ]);
    expect(await placed(both({ missing: 'it is too old' }, {}), single)).toBe('tfjs');
    expect(await placed(both(absent, absent), single)).toContain('because this host has no GPU');
    expect(await placed(both({ missing: 'it is too old' }, { missing: 'it is not there' }), single)).toMatch(
      /because it is too old, and it is not there$/,
    );
    const long = { plannedEvaluations: 1e9 };
    expect(await placed(both({}, {}), long)).toBe('cuda');
    expect(await placed(both({}, {}).slice(1), long)).not.toContain('tfjs');
  });

  test('with derived programs in exact arithmetic, for which no evaluations are planned', async () => {
    const made: BackendOptions[] = [];
    const backends = [fake('quick', { arithmetic: 'fast', made }), fake('plain', { made })];
    const { openOther } = await place(objective, { ...request, math: 'fast' }, backends);
    expect((await openOther(ir)).backend).toBe('plain');
    expect(made.at(0)).toMatchObject({ threads: 3, plannedEvaluations: 100, math: 'fast' });
    expect(made.at(-1)).toMatchObject({ threads: 3, plannedEvaluations: 0, math: 'exact' });
  });

  test('and closed again: at once where a backend is passed over, else with the placement', async () => {
    const closed: string[] = [];
    const tooLarge = new ExtremumError('backend_unavailable', 'the program is too large');
    const backends = [
      fake('quick', { arithmetic: 'fast', closed }),
      fake('cuda', { missing: 'no device', closed }),
      fake('small', { refusal: tooLarge, closed }),
      fake('plain', { closed }),
      fake('slow', { closed }),
    ];
    const { openOther, close } = await place(objective, request, backends);
    expect(closed.splice(0)).toEqual(['quick', 'cuda', 'small']);
    const other = await openOther(ir);
    expect(closed.splice(0)).toEqual(['quick', 'cuda', 'small']);
    await other.close();
    await close();
    expect(closed.splice(0)).toEqual(['kernel of plain', 'kernel of plain', 'plain', 'plain']);
    const broken = [fake('broken', { refusal: new TypeError('a defect'), closed })];
    await expect(place(objective, request, broken)).rejects.toThrow(TypeError);
    expect(closed).toEqual(['broken']);
  });

  test('nowhere where no backend takes it, and every reason is told', async () => {
    const backends = [fake('cuda', { missing: 'no device' }), fake('opencl', { missing: 'no driver' })];
    await expect(place(objective, request, backends)).rejects.toMatchObject({
      code: 'backend_unavailable',
      message: 'No backend takes this objective (cuda: no device; opencl: no driver).',
    });
  });

  test('nowhere where a backend fails otherwise than by refusing it', async () => {
    const backends = [fake('broken', { refusal: new TypeError('a defect') }), fake('plain')];
    await expect(place(objective, request, backends)).rejects.toThrow(TypeError);
  });
});

test('every backend for compiled objectives is looked at', async () => {
  const probes = await probe();
  const registered = BACKENDS.filter(({ input }) => input === 'ir');
  expect(probes.map(({ name, isOptional }) => [name, isOptional])).toEqual(
    registered.map(({ name, isOptional = false }) => [name, isOptional]),
  );
  expect(probes).toContainEqual({
    name: 'interpreter',
    isOptional: false,
    available: true,
    device: expect.any(String),
  });
});
