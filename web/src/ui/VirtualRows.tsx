// A long list of rows of one height: only those in the window are in the document.
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';

const SPARE = 8;

export function VirtualRows(props: {
  label: string;
  count: number;
  rowHeight: number;
  height: number;
  head: ReactNode;
  row: (index: number) => ReactNode;
}) {
  const { count, rowHeight } = props;
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(props.height);
  useLayoutEffect(() => {
    if (box.current) setHeight(box.current.clientHeight || props.height);
  }, [props.height]);
  // The list may have become shorter than what was scrolled away.
  const first = Math.max(
    0,
    Math.min(Math.floor(top / rowHeight) - SPARE, count - Math.ceil(height / rowHeight)),
  );
  const last = Math.min(count, first + Math.ceil(height / rowHeight) + 2 * SPARE);
  return (
    <div
      ref={box}
      role="table"
      aria-label={props.label}
      aria-rowcount={count + 1}
      className="virtual"
      style={{ maxHeight: props.height }}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take the focus
      tabIndex={0}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <div role="rowgroup" className="virtual-head">
        {props.head}
      </div>
      <div role="rowgroup" style={{ height: count * rowHeight, position: 'relative' }}>
        <div style={{ transform: `translateY(${first * rowHeight}px)` }}>
          {Array.from({ length: Math.max(0, last - first) }, (_, i) => props.row(first + i))}
        </div>
      </div>
    </div>
  );
}
