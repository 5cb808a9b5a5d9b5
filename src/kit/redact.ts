/** Takes everything out of a text that looks like a credential, whatever field or sentence it stands in. */
export function redactSecrets(text: string): string {
  if (!MARKS.test(text)) return text
  return SECRETS.reduce((clean, { pattern, replacement }) => clean.replace(pattern, replacement), text)
}

/** The same for structured values, where the name of a field tells what its text cannot. */
export function redactFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redactFields)
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  if (Object.entries(value).every(([name, part]) => typeof part !== 'object' && !SECRET_NAME.test(name))) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, SECRET_NAME.test(name) ? HIDDEN : redactFields(part)]),
  )
}

/** A line of JSON, cleaned by what its fields are called and by what its texts look like. */
export function redactLine(line: string): string {
  if (!MARKS.test(line)) return line
  return redactSecrets(`${JSON.stringify(redactFields(JSON.parse(line)))}\n`)
}

const HIDDEN = '[redacted]'

/** Every pattern and every name below has one of these in it. Hardly any text has one, and one look is much cheaper than a dozen. */
const MARKS =
  /-----BEGIN|bearer|basic|(?:api|access|private)[-_]?key|secret|passw|passphrase|credential|authorization|token|cookie|:\/\/|\bsk-|AIza|gh[pousr]_|github_pat_|glpat-|xox|AKIA|ASIA|eyJ/i

/** Names that promise a secret. Counts such as `input_tokens` are none. */
const NAMES =
  '(?:api[-_]?keys?|access[-_]?keys?|private[-_]?keys?|secrets?|passw(?:or)?ds?|passphrase|credentials?|authorization|(?:[a-z]+[-_])?token|cookie)'

const SECRET_NAME = new RegExp(`^(?:[a-z0-9]+[-_])*${NAMES}$`, 'i')

/**
 * The first group, where there is one, is the part that may stay: it tells a reader what was hidden. Whoever writes a
 * prompt writes the text that these read, so each takes a time that grows no faster than the text: no two places where a
 * pattern may begin look for its end in the same long stretch.
 */
const SECRETS: readonly { pattern: RegExp; replacement: string }[] = [
  // Private keys in PEM, with real or JSON-escaped line ends; one that is cut off ends with its line or its string.
  {
    pattern: /-----BEGIN [A-Z ]*PRIVATE KEY-----[^"]*?(-----END [A-Z ]*PRIVATE KEY-----|(?="|$))/g,
    replacement: HIDDEN,
  },
  // Authorization: Bearer …, Basic …
  { pattern: /\b(Bearer|Basic)(\s+)[A-Za-z0-9._~+/=-]{8,}/gi, replacement: `$1$2${HIDDEN}` },
  // Authorization: any other scheme and its value, and "token" with what can only be one.
  {
    pattern:
      /(?<![A-Za-z0-9])(authorization["']?\s*[:=]\s*["']?)(?!(?:Bearer|Basic)\b)[A-Za-z0-9-]{1,32}[ \t]+[A-Za-z0-9._~+/=-]{8,}/gi,
    replacement: `$1${HIDDEN}`,
  },
  { pattern: /(?<![A-Za-z0-9])(token[ \t]+)[A-Za-z0-9._~+/=-]{20,}/gi, replacement: `$1${HIDDEN}` },
  // A name that promises a secret, then its value: a list, a quoted text, or a word with all that hangs on it by commas.
  {
    pattern: new RegExp(`((?<![A-Za-z0-9])${NAMES}\\\\?["']?\\s*[:=]\\s*)\\[[^\\][]*\\]`, 'gi'),
    replacement: `$1${HIDDEN}`,
  },
  {
    pattern: new RegExp(`((?<![A-Za-z0-9])${NAMES}\\\\?["']?\\s*[:=]\\s*\\\\?")(?!\\[redacted)[^"\\\\]{4,}`, 'gi'),
    replacement: `$1${HIDDEN}`,
  },
  {
    pattern: new RegExp(
      `((?<![A-Za-z0-9])${NAMES}["']?\\s*[:=]\\s*'?)(?!(?:Bearer|Basic)\\b|\\[redacted)[^\\s"'\\\\;&}]{4,}`,
      'gi',
    ),
    replacement: `$1${HIDDEN}`,
  },
  // user:password@ in a URL.
  { pattern: /(?<![a-z0-9+.-])([a-z0-9+.-]+:\/\/)[^\s/:@"']*:[^\s/@"']+@/gi, replacement: `$1${HIDDEN}@` },
  // Shapes that the issuers publish: OpenAI and Anthropic, Google, GitHub, GitLab, Slack, AWS, JSON Web Tokens.
  { pattern: /\bsk-[A-Za-z0-9_-]{8,}/g, replacement: HIDDEN },
  { pattern: /\bAIza[A-Za-z0-9_-]{20,}/g, replacement: HIDDEN },
  { pattern: /(?<![A-Za-z0-9])(?:gh[pousr]|github_pat)_[A-Za-z0-9_.-]{16,}/gi, replacement: HIDDEN },
  { pattern: /\bglpat-[A-Za-z0-9_-]{16,}/g, replacement: HIDDEN },
  { pattern: /\bxox[abeoprs]-[A-Za-z0-9-]{8,}/g, replacement: HIDDEN },
  { pattern: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, replacement: HIDDEN },
  { pattern: /\beyJ[A-Za-z0-9_-]{8,512}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?/g, replacement: HIDDEN },
]
