// The marked text as an SVG file of its own: no page around it, no fonts inside it.
import { chunkText } from '../text/chunks';
import { cutSegments, layerSpans, type Span } from '../text/layers';
import { widthOf } from './measure';

const SIZE = 16;
const WIDTH = 800;
const PADDING = 24;
const LINE = 46;

// What XML 1.0 does not allow at all.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

export function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replace(FORBIDDEN, '\ufffd');
}

/** Letters with their combining marks and joined parts. */
function lettersOf(text: string): string[] {
  if (typeof Intl.Segmenter === 'function') {
    return [...new Intl.Segmenter('zh', { granularity: 'grapheme' }).segment(text)].map(
      (s) => s.segment,
    );
  }
  return [...text];
}

export function markedSvg(
  text: string,
  spans: readonly Span[],
  colour: (label: string) => string,
): string {
  const layered = layerSpans(spans, text.length);
  const parts: string[] = [];
  let x = PADDING;
  let y = PADDING + SIZE;
  const newLine = () => {
    x = PADDING;
    y += LINE;
  };
  for (const chunk of chunkText(text)) {
    for (const segment of cutSegments(layered, chunk.start, chunk.end)) {
      for (const letter of lettersOf(text.slice(segment.start, segment.end))) {
        if (letter === '\n' || letter === '\r\n') {
          newLine();
          continue;
        }
        const width = Math.max(4, widthOf([...letter][0] ?? '', SIZE));
        if (x + width > WIDTH - PADDING) newLine();
        const inner = segment.spans.at(-1);
        if (inner) {
          parts.push(
            `<rect x="${x}" y="${y - SIZE}" width="${width}" height="${SIZE + 5}" fill="${colour(inner.label)}" fill-opacity=".2"/>`,
          );
          for (const span of segment.spans) {
            parts.push(
              `<rect x="${x}" y="${y + 6 + span.layer * 4}" width="${width}" height="2" fill="${colour(span.label)}"/>`,
            );
          }
        }
        parts.push(`<text x="${x}" y="${y}" font-size="${SIZE}">${escapeXml(letter)}</text>`);
        x += width;
      }
      for (const span of segment.ending) {
        const tag = span.tag ?? span.label;
        const width = widthOf(tag, 11) + 10;
        if (x + width > WIDTH - PADDING) newLine();
        parts.push(
          `<rect x="${x + 2}" y="${y - 13}" width="${width}" height="17" rx="4" fill="none" stroke="${colour(span.label)}"/>`,
          `<text x="${x + 7}" y="${y}" font-size="11">${escapeXml(tag)}</text>`,
        );
        x += width + 5;
      }
    }
  }
  return frame(WIDTH, y + PADDING + 16, parts.join('\n'));
}

export interface Bar {
  name: string;
  value: number;
  chosen: boolean;
}

export function barsSvg(bars: readonly Bar[]): string {
  const rows = bars.map((bar, i) => {
    const y = PADDING + i * 32;
    return [
      `<text x="${PADDING}" y="${y + 16}" font-size="14"${bar.chosen ? ' font-weight="bold"' : ''}>${escapeXml(`${bar.chosen ? '✓ ' : ''}${bar.name}`)}</text>`,
      `<rect x="320" y="${y + 4}" width="380" height="14" rx="7" fill="#e6e9f0"/>`,
      `<rect x="320" y="${y + 4}" width="${380 * bar.value}" height="14" rx="7" fill="${bar.chosen ? '#2456c8' : '#8a96ad'}"/>`,
      `<text x="715" y="${y + 16}" font-size="14">${bar.value.toFixed(2)}</text>`,
    ].join('');
  });
  return frame(WIDTH, PADDING * 2 + bars.length * 32, rows.join('\n'));
}

function frame(width: number, height: number, content: string): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, 'Noto Sans CJK SC', 'Microsoft YaHei', 'PingFang SC', sans-serif" fill="#1a2233">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    content,
    '</svg>',
  ].join('\n');
}
