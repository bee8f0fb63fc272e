export class Steps {
  constructor(file: string, say: (line: string) => void, now?: () => number);
  note(text: string): void;
  run<T>(title: string, seconds: number, work: () => Promise<T>, isDone?: (result: T) => boolean): Promise<T>;
}
