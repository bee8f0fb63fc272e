export interface Host {
  readonly platform: string;
  readonly arch: string;
  readonly libc: string | null;
  readonly glibc: string | null;
  readonly napi: number;
}
export const packageFolder: string;
export function thisHost(): Host;
export function nameOf(host: Pick<Host, 'platform' | 'arch' | 'libc'>): string;
export function sourcesDigest(folder?: string): string;
export function glibcNeededBy(file: string): string | null;
export function writePrebuild(built: string, into: string, version: string): string;
export function takePrebuild(wanted: {
  readonly from: string;
  readonly into: string;
  readonly version: string;
  readonly sources: string;
  readonly host?: Host;
}): { readonly addon: boolean; readonly launcher: boolean; readonly line: string | null };
