// The very request that the page sends, as commands to copy.

/** For a POSIX shell: inside single quotes only the quote itself needs care. */
function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

export function curlSnippet(url: string, body: string): string {
  return [
    `curl -sS ${shellQuote(url)} \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  --data-binary ${shellQuote(body)}`,
  ].join('\n');
}

/** A JSON string is a Python string too, once its characters are escaped the same way. */
function pythonQuote(text: string): string {
  return JSON.stringify(text);
}

export function pythonSnippet(url: string, body: string): string {
  return [
    'import json',
    'import urllib.request',
    '',
    `body = ${pythonQuote(body)}`,
    'request = urllib.request.Request(',
    `    ${pythonQuote(url)},`,
    '    data=body.encode("utf-8"),',
    '    headers={"Content-Type": "application/json"},',
    ')',
    'with urllib.request.urlopen(request, timeout=60) as response:',
    '    answer = json.load(response)',
    'print(json.dumps(answer["result"], ensure_ascii=False, indent=2))',
  ].join('\n');
}

export function javascriptSnippet(url: string, body: string): string {
  return [
    `const response = await fetch(${JSON.stringify(url)}, {`,
    "  method: 'POST',",
    "  headers: { 'Content-Type': 'application/json' },",
    `  body: ${JSON.stringify(body)},`,
    '});',
    'if (!response.ok) throw new Error((await response.json()).error);',
    'const answer = await response.json();',
    'console.log(answer.result);',
  ].join('\n');
}
