/** Takes everything out of a text that looks like a credential, whatever field or sentence it stands in. */
export function redactSecrets(text: string): string {
  return SECRETS.reduce((clean, { pattern, replacement }) => clean.replace(pattern, replacement), text)
}

const HIDDEN = '[redacted]'

/** The first group, where there is one, is the part that may stay: it tells a reader what was hidden. */
const SECRETS: readonly { pattern: RegExp; replacement: string }[] = [
  // Private keys in PEM, with real or JSON-escaped line ends.
  { pattern: /-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(-----END [A-Z ]*PRIVATE KEY-----|$)/gs, replacement: HIDDEN },
  // Authorization: Bearer …, Basic …
  { pattern: /\b(Bearer|Basic)(\s+)[A-Za-z0-9._~+/=-]{8,}/gi, replacement: `$1$2${HIDDEN}` },
  // A name that promises a secret, then its value: api_key=…, "x-api-key": "…", password: …
  {
    pattern:
      /((?:api[-_]?key|access[-_]?key|secret|passw(?:or)?d|auth[-_]?token|access[-_]?token|refresh[-_]?token|client[-_]?secret)[A-Za-z0-9_-]*\\?["']?\s*[:=]\s*\\?["']?)[^\s"'\\,;&}]{4,}/gi,
    replacement: `$1${HIDDEN}`,
  },
  // user:password@ in a URL.
  { pattern: /\b([a-z][a-z0-9+.-]*:\/\/)[^\s/:@"']*:[^\s/@"']+@/gi, replacement: `$1${HIDDEN}@` },
  // Shapes that the issuers publish: OpenAI and Anthropic, Google, GitHub, GitLab, Slack, AWS, JSON Web Tokens.
  { pattern: /\bsk-[A-Za-z0-9_-]{8,}/g, replacement: HIDDEN },
  { pattern: /\bAIza[A-Za-z0-9_-]{20,}/g, replacement: HIDDEN },
  { pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,})/g, replacement: HIDDEN },
  { pattern: /\bglpat-[A-Za-z0-9_-]{16,}/g, replacement: HIDDEN },
  { pattern: /\bxox[abeoprs]-[A-Za-z0-9-]{8,}/g, replacement: HIDDEN },
  { pattern: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, replacement: HIDDEN },
  { pattern: /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g, replacement: HIDDEN },
]
