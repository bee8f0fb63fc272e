/** A text area with line numbers, of which some are marked. */
import { useRef } from 'preact/hooks';

export interface Mark {
  readonly line: number;
  readonly message: string;
  readonly kind: 'bad' | 'warn';
}

export function Editor({
  label,
  text,
  change,
  marks,
}: {
  label: string;
  text: string;
  change: (text: string) => void;
  marks: readonly Mark[];
}) {
  const gutter = useRef<HTMLDivElement>(null);
  const lines = text.split('\n').length;
  const drop = (event: DragEvent): void => {
    const file = event.dataTransfer?.files[0];
    if (file === undefined) return;
    event.preventDefault();
    void file.text().then(change);
  };
  return (
    <div class="editor">
      <div class="gutter" ref={gutter} aria-hidden="true">
        <div>
          {Array.from({ length: lines }, (_none, i) => {
            const mark = marks.find(({ line }) => line === i + 1);
            return (
              <span key={i} class={mark?.kind ?? ''} title={mark?.message}>
                {i + 1}
              </span>
            );
          })}
        </div>
      </div>
      <textarea
        aria-label={label}
        spellcheck={false}
        wrap="off"
        rows={Math.min(24, Math.max(8, lines + 1))}
        value={text}
        onDrop={drop}
        onInput={(event) => change(event.currentTarget.value)}
        onScroll={(event) => {
          if (gutter.current !== null) gutter.current.scrollTop = event.currentTarget.scrollTop;
        }}
      />
    </div>
  );
}
