// A drawing of the page as a file: colours are written out, since a file has no style sheet.

const PROPERTIES = ['fill', 'stroke', 'color', 'font-family'] as const;

export function elementSvg(svg: SVGSVGElement): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const from = [svg, ...svg.querySelectorAll<SVGElement>('*')];
  const to = [copy, ...copy.querySelectorAll<SVGElement>('*')];
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    for (const name of PROPERTIES) to[i]?.style.setProperty(name, style.getPropertyValue(name));
  });
  const [x = 0, y = 0, width = 300, height = 150] = (svg.getAttribute('viewBox') ?? '')
    .split(' ')
    .map(Number);
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('width', String(Math.round(width)));
  copy.setAttribute('height', String(Math.round(height)));
  const ground = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  for (const [name, value] of Object.entries({ x, y, width, height }))
    ground.setAttribute(name, String(value));
  ground.setAttribute(
    'fill',
    getComputedStyle(document.documentElement).getPropertyValue('--surface').trim() || '#fff',
  );
  copy.prepend(ground);
  return new XMLSerializer().serializeToString(copy);
}

/** Twice the size, for sharp print. A picture that a canvas cannot hold is drawn smaller. */
export async function pngOf(svg: string): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const scale = Math.min(2, 16_000 / Math.max(image.width, image.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(image.width * scale);
  canvas.height = Math.round(image.height * scale);
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no picture'))), 'image/png'),
  );
}
