/** Colours code roughly: comments, texts, numbers and common keywords, the same for every language. Pure. */

export type Token = { kind: 'plain' | 'comment' | 'string' | 'number' | 'keyword' | 'added' | 'removed'; text: string }

const KEYWORDS = new Set(
  (
    'abstract and as async await break case catch class const continue def default defer del do elif else end enum except export ' +
    'extends false final finally fn for from func function go if impl implements import in include interface is lambda let ' +
    'loop match mod module mut nil none not null of or package pass private protected public raise return select self ' +
    'static struct super switch then this throw trait true try type typeof undefined use var void when where while with yield'
  ).split(' '),
)

const HASH_COMMENTS = /^(?:sh|bash|zsh|shell|console|py|python|rb|ruby|yaml|yml|toml|perl|r|make|makefile|dockerfile)$/i
const DASH_COMMENTS = /^(?:sql|lua|haskell|hs|ada)$/i

/** Longer code is not coloured. */
const MAX_LENGTH = 50_000

export function highlight(code: string, language: string): Token[] {
  if (/^(?:diff|patch)$/i.test(language)) return highlightDiff(code)
  if (language === '' || /^(?:text|txt|plain|markdown|md)$/i.test(language) || code.length > MAX_LENGTH)
    return [{ kind: 'plain', text: code }]
  const tokens: Token[] = []
  let end = 0
  for (const match of code.matchAll(patternFor(language))) {
    if (match.index > end) tokens.push({ kind: 'plain', text: code.slice(end, match.index) })
    tokens.push(toToken(match))
    end = match.index + match[0].length
  }
  if (end < code.length) tokens.push({ kind: 'plain', text: code.slice(end) })
  return tokens
}

/** Lines that begin with + and -, as `git diff` prints them. */
export function highlightDiff(diff: string): Token[] {
  return diff.split(/(?<=\n)/).map((line) => {
    if (line.startsWith('+') && !line.startsWith('+++')) return { kind: 'added', text: line }
    if (line.startsWith('-') && !line.startsWith('---')) return { kind: 'removed', text: line }
    return { kind: /^(?:@@|diff |index |\+\+\+|---)/.test(line) ? 'comment' : 'plain', text: line }
  })
}

/** To compile it takes longer than to use it on a line. */
const patterns = new Map<string, RegExp>()

function patternFor(language: string): RegExp {
  const line = HASH_COMMENTS.test(language) ? '#' : DASH_COMMENTS.test(language) ? '--' : '//'
  const pattern = patterns.get(line) ?? createPattern(line)
  patterns.set(line, pattern)
  return pattern
}

function createPattern(line: string): RegExp {
  return new RegExp(
    [
      `(?<comment>${line}[^\\n]*|/\\*[\\s\\S]*?(?:\\*/|$)|<!--[\\s\\S]*?(?:-->|$))`,
      String.raw`(?<string>"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|\x60(?:[^\x60\\]|\\[\s\S])*\x60?)`,
      String.raw`(?<number>\b\d[\w.]*)`,
      String.raw`(?<word>[A-Za-z_$][\w$]*)`,
    ].join('|'),
    'g',
  )
}

function toToken({ 0: text, groups = {} }: RegExpMatchArray): Token {
  if (groups['comment'] !== undefined) return { kind: 'comment', text }
  if (groups['string'] !== undefined) return { kind: 'string', text }
  if (groups['number'] !== undefined) return { kind: 'number', text }
  return { kind: KEYWORDS.has(text) ? 'keyword' : 'plain', text }
}
