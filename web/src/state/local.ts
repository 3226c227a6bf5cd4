// Storage of the browser. It may be full, forbidden or foreign; none of that may stop the page.

export function load<T>(
  key: string,
  accept: (value: unknown) => value is T,
  store: () => Storage = local,
): T | null {
  try {
    const text = store().getItem(`rexuninlu.${key}`);
    if (text === null) return null;
    const value: unknown = JSON.parse(text);
    return accept(value) ? value : null;
  } catch {
    return null;
  }
}

export function save(key: string, value: unknown, store: () => Storage = local): boolean {
  try {
    store().setItem(`rexuninlu.${key}`, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

export function forget(key: string, store: () => Storage = local): void {
  try {
    store().removeItem(`rexuninlu.${key}`);
  } catch {
    // Nothing stored, nothing to remove.
  }
}

export const local = () => window.localStorage;
export const session = () => window.sessionStorage;

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
