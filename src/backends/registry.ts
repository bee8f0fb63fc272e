/** All backends, one line each, in the order of preference for objectives that they can run. */
import { ExtremumError } from '../common/errors.js';
import type { Backend } from './backend.js';
import { createCPythonBackend } from './cpython/cpython-backend.js';
import { CudaBackend } from './cuda/cuda-backend.js';
import { GpujsBackend } from './gpujs/gpujs-backend.js';
import { InterpreterBackend } from './interpreter/interpreter-backend.js';
import { JavaScriptBackend } from './javascript/javascript-backend.js';
import { NativeBackend } from './native/native-backend.js';
import { TfjsBackend } from './tfjs/tfjs-backend.js';
import { WasmBackend } from './wasm/wasm-backend.js';

/** Options for any backend; each takes those that concern it. */
export interface BackendOptions {
  /** Threads per evaluation, the calling one included; default: all cores. */
  readonly threads?: number;
  /** Ends a running evaluation from another thread: see `NativeOptions.cancelFlag`. */
  readonly cancelFlag?: Int32Array;
  /** Evaluations that a kernel is opened for, where known: see `NativeOptions.plannedEvaluations`. */
  readonly plannedEvaluations?: number;
  /** `fast`: fused operations are welcome where the backend has them, at the price of bits. Default: `exact`. */
  readonly math?: 'exact' | 'fast';
  /** `f32`: single precision, where the backend has it. Default: `f64`. */
  readonly precision?: 'f64' | 'f32';
  /** Number of the device; default: whichever suits the backend. */
  readonly device?: number;
  /** Python interpreter, `off` for none; default: `python3`. */
  readonly python?: string;
}

export interface BackendRegistration {
  readonly name: string;
  /** As in its capabilities: needs compiled IR, or runs the Python source. */
  readonly input: 'ir' | 'python';
  /** A default installation need not have it: the service is healthy without. Absent: it must. */
  readonly isOptional?: boolean;
  /**
   * Evaluates apart from the processor, which goes on meanwhile (`evaluation/devices.ts`). Absent: on the processor.
   */
  readonly isDevice?: boolean;
  /** A device that knows single precision only, so that only who asks for it comes to it. Absent: double, too. */
  readonly isSingle?: boolean;
  create(options: BackendOptions): Backend;
}

export const BACKENDS: readonly BackendRegistration[] = [
  { name: 'native', input: 'ir', create: (options) => new NativeBackend(options) },
  { name: 'wasm', input: 'ir', create: ({ cancelFlag }) => new WasmBackend({ cancelFlag }) },
  { name: 'javascript', input: 'ir', create: () => new JavaScriptBackend() },
  { name: 'interpreter', input: 'ir', create: () => new InterpreterBackend() },
  {
    name: 'cuda',
    input: 'ir',
    isOptional: true,
    isDevice: true,
    create: ({ math, precision, device, cancelFlag }) =>
      new CudaBackend({ math, precision, device, cancelFlag, offload: true }),
  },
  { name: 'tfjs', input: 'ir', isOptional: true, isDevice: true, isSingle: true, create: () => new TfjsBackend() },
  { name: 'gpujs', input: 'ir', isOptional: true, isDevice: true, isSingle: true, create: () => new GpujsBackend() },
  { name: 'cpython', input: 'python', create: ({ python = 'python3' }) => createCPythonBackend({ python }) },
];

/** @throws {ExtremumError} `backend_unavailable` for a name that is not registered. */
export function createBackend(name: string, options: BackendOptions = {}): Backend {
  const registration = BACKENDS.find((entry) => entry.name === name);
  if (!registration) {
    const known = BACKENDS.map((entry) => entry.name).join(', ');
    throw new ExtremumError('backend_unavailable', `there is no backend named ${name} (known: ${known})`);
  }
  return registration.create(options);
}
