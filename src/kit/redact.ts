/** Replaces everything in a text that looks like a credential. */
export function redactSecrets(text: string): string {
  if (!MARKS.test(text)) return text
  return SECRETS.reduce((clean, { pattern, replacement }) => clean.replace(pattern, replacement), text)
}

/** Replaces the values of fields whose names suggest a credential. */
export function redactFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redactFields)
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  if (Object.entries(value).every(([name, part]) => typeof part !== 'object' && !SECRET_NAME.test(name))) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, SECRET_NAME.test(name) ? HIDDEN : redactFields(part)]),
  )
}

/** Redacts a line of JSON, both by field names and by patterns. */
export function redactLine(line: string): string {
  if (!MARKS.test(line)) return line
  return redactSecrets(`${JSON.stringify(redactFields(JSON.parse(line)))}\n`)
}

/** Whether the name of a field or of a variable suggests a credential. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name)
}

const HIDDEN = '[redacted]'

/** Every pattern and name below contains one of these. Most texts contain none, so this one test saves a dozen. */
const MARKS =
  /-----BEGIN|bearer|basic|(?:api|access|private)[-_]?key|secret|passw|passphrase|credential|authorization|token|cookie|:\/\/|\bsk-|AIza|gh[pousr]_|github_pat_|glpat-|xox|AKIA|ASIA|eyJ|drover_key_/i

/** Field names that suggest a secret. Counts such as `input_tokens` do not match. */
const NAMES =
  '(?:api[-_]?keys?|access[-_]?keys?|private[-_]?keys?|secrets?|passw(?:or)?ds?|passphrase|credentials?|authorization|(?:[a-z]+[-_])?token|cookie)'

const SECRET_NAME = new RegExp(`^(?:[a-z0-9]+[-_])*${NAMES}$`, 'i')

/**
 * The first group, if any, is kept: it tells the reader what was hidden. Prompts are untrusted input, so every pattern
 * must run in linear time: no two possible starts of a match may scan the same long stretch for its end.
 */
const SECRETS: readonly { pattern: RegExp; replacement: string }[] = [
  // Private keys in PEM, with real or JSON-escaped line ends; a truncated one ends with its line or its string.
  {
    pattern: /-----BEGIN [A-Z ]*PRIVATE KEY-----[^"]*?(-----END [A-Z ]*PRIVATE KEY-----|(?="|$))/g,
    replacement: HIDDEN,
  },
  // Authorization: Bearer …, Basic …
  { pattern: /\b(Bearer|Basic)(\s+)[A-Za-z0-9._~+/=-]{8,}/gi, replacement: `$1$2${HIDDEN}` },
  // Authorization with any other scheme, and the word "token" before a long value.
  {
    pattern:
      /(?<![A-Za-z0-9])(authorization["']?\s*[:=]\s*["']?)(?!(?:Bearer|Basic)\b)[A-Za-z0-9-]{1,32}[ \t]+[A-Za-z0-9._~+/=-]{8,}/gi,
    replacement: `$1${HIDDEN}`,
  },
  { pattern: /(?<![A-Za-z0-9])(token[ \t]+)[A-Za-z0-9._~+/=-]{20,}/gi, replacement: `$1${HIDDEN}` },
  // A name that suggests a secret, then its value: a list, a quoted text, or a word with everything attached by commas.
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
  // Keys of `drover keys create`.
  { pattern: /(?<![A-Za-z0-9])drover_key_[0-9a-f]{16,}/g, replacement: HIDDEN },
  // Formats that the issuers publish: OpenAI and Anthropic, Google, GitHub, GitLab, Slack, AWS, JSON Web Tokens.
  { pattern: /\bsk-[A-Za-z0-9_-]{8,}/g, replacement: HIDDEN },
  { pattern: /\bAIza[A-Za-z0-9_-]{20,}/g, replacement: HIDDEN },
  { pattern: /(?<![A-Za-z0-9])(?:gh[pousr]|github_pat)_[A-Za-z0-9_.-]{16,}/gi, replacement: HIDDEN },
  { pattern: /\bglpat-[A-Za-z0-9_-]{16,}/g, replacement: HIDDEN },
  { pattern: /\bxox[abeoprs]-[A-Za-z0-9-]{8,}/g, replacement: HIDDEN },
  { pattern: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, replacement: HIDDEN },
  { pattern: /\beyJ[A-Za-z0-9_-]{8,512}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?/g, replacement: HIDDEN },
]
