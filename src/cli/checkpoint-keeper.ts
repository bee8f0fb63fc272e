/**
 * Keeps the checkpoint of one run of `extremum optimize` up to date: where it was asked for, or where the run came
 * from.
 */
import { rmSync } from 'node:fs';
import path from 'node:path';
import { packageVersion } from '../common/version.js';
import type { RunReport } from '../runs/worker-protocol.js';
import { isReplaceable, writeCheckpoint, writeNewCheckpoint, type Checkpoint } from './checkpoint-file.js';
import { printable } from './text-safety.js';

export type RunBasis = Pick<Checkpoint, 'file' | 'source' | 'task' | 'blackBox' | 'precision' | 'pythonMinor'>;
/** The part of a report that a run needs to go on from it. */
type KeptState = Pick<RunReport, 'progress'> & { readonly checkpoint: Uint8Array };

export class CheckpointKeeper {
  /** Null: only an interruption leaves a checkpoint, under a new name. */
  private readonly target: string | null;
  private failure: string | null = null;
  private hasWritten = false;

  /** `wanted`: the file of `--checkpoint`; `resumed`: that of `--resume`; `complain`: where a failure is said. */
  constructor(
    private readonly basis: RunBasis,
    wanted: string | undefined,
    resumed: string | undefined,
    private readonly complain: (message: string) => void,
  ) {
    this.target = wanted ?? (resumed !== undefined && isReplaceable(resumed) ? resumed : null);
  }

  /** While the run goes on. That it cannot be written is said once, and the run goes on. */
  update(state: KeptState): void {
    if (this.target !== null) this.write(this.target, state);
  }

  /** Removes the checkpoint that was written: it is void. */
  forget(): void {
    if (this.target === null || !this.hasWritten) return;
    rmSync(this.target, { force: true });
    this.hasWritten = false;
  }

  /**
   * Writes the last checkpoint of a run that can be gone on from. Returns the file; null where there is none. An
   * interrupted run is written under a new name where its own place cannot be written any more.
   */
  keep(state: KeptState, isInterrupted: boolean): string | null {
    if (this.target !== null && this.write(this.target, state)) return this.target;
    if (!isInterrupted) return null;
    try {
      return writeNewCheckpoint(path.basename(this.basis.file, '.py'), this.checkpointOf(state));
    } catch (error) {
      this.complain(`No checkpoint could be written here: ${reasonOf(error)}`);
      return null;
    }
  }

  private write(target: string, state: KeptState): boolean {
    try {
      writeCheckpoint(target, this.checkpointOf(state));
      this.hasWritten = true;
      return true;
    } catch (error) {
      const reason = reasonOf(error);
      if (reason !== this.failure) this.complain(`The checkpoint ${printable(target)} cannot be written: ${reason}`);
      this.failure = reason;
      return false;
    }
  }

  private checkpointOf({ progress, checkpoint }: KeptState): Checkpoint {
    const { file, source, task, blackBox, precision, pythonMinor } = this.basis;
    const { evaluations, elapsedSeconds } = progress;
    const snapshot = new TextDecoder().decode(checkpoint);
    const basis = { file, source, task, blackBox, ...(precision === undefined ? {} : { precision }), pythonMinor };
    return { program: packageVersion(), ...basis, evaluations, elapsedSeconds, snapshot };
  }
}

/** Reason of an error, without the name of the draft. */
function reasonOf(error: unknown): string {
  const { message } = error as Error;
  return message.replace(/, \w+ '.*$/s, '');
}
