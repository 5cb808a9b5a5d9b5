/** Finds secrets in files that would be committed: by well-known names of files, and by well-known forms of keys. Pure. */

type Secret = {
  /** What it is; never the secret itself. */
  readonly what: string
  /** Absent if the name of the file tells. */
  readonly line?: number
}

const FORMS: readonly (readonly [string, RegExp])[] = [
  ['a private key', /-----BEGIN (?:[A-Z]{2,10} )?PRIVATE KEY(?: BLOCK)?-----/],
  ['an access key of AWS', /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/],
  ['a token of GitHub', /\b(?:gh[oprsu]_[A-Za-z0-9]{36}|github_pat_\w{22,255})\b/],
  ['a token of GitLab', /\bglpat-[\w-]{20,64}/],
  ['a token of Slack', /\bxox[abeoprs]-[\w-]{10,250}/],
  ['a key of Anthropic', /\bsk-ant-[\w-]{20,250}/],
  ['a key of OpenAI', /\bsk-(?:proj-|svcacct-)?[A-Za-z0-9_-]{32,250}/],
  ['a key of Google', /\bAIza[\w-]{35}/],
  ['a token of npm', /\bnpm_[A-Za-z0-9]{36}\b|:_(?:authToken|password|auth)\s?=\s?(?!\$\{)[^\s$]{8,250}/],
  ['a token of PyPI', /\bpypi-AgEI[\w-]{50,250}/],
  ['a key of Stripe', /\b[rs]k_live_[0-9A-Za-z]{24,250}/],
  ['a key of SendGrid', /\bSG\.[\w-]{22}\.[\w-]{43}/],
  ['a token of Hugging Face', /\bhf_[A-Za-z]{34}\b/],
]

const NAMES =
  /(?:^|\/)(?:\.env(?:\.[^/]+)?|id_(?:rsa|dsa|ecdsa|ed25519)|\.netrc|_netrc|\.pgpass|\.htpasswd|\.git-credentials|\.pypirc|\.aws\/credentials|[^/]+\.(?:p12|pfx|jks|keystore|kdbx))$/i
/** Files that show which variables there are, or that are for tests. */
const HARMLESS = /\.env\.(?:example|sample|template|dist|defaults?|schema|test|ci)$/i
/** Too few different characters for a key: a placeholder. */
const MIN_DIFFERENT = 8
const PLACEHOLDER = /example|placeholder|your[-_]|dummy|fake|x{6}|0{6}|1234567|abcdef/i
/** A longer line is generated, and is looked at only as far as this. */
const MAX_LINE = 4000

/** `before` is the text that was there before: what it has already is not new. */
export function findSecrets(path: string, after: string | undefined, before: string | undefined): Secret[] {
  if (NAMES.test(path) && !HARMLESS.test(path) && after !== '')
    return [{ what: 'its name is that of a file with secrets' }]
  const known = before === undefined ? new Set<string>() : new Set(before.split('\n'))
  return (after ?? '').split('\n').flatMap((line, at): Secret[] => {
    if (known.has(line)) return []
    const form = FORMS.find(([, pattern]) => isSecret(pattern.exec(line.slice(0, MAX_LINE))?.[0]))
    return form === undefined ? [] : [{ what: form[0], line: at + 1 }]
  })
}

function isSecret(found: string | undefined): boolean {
  if (found === undefined) return false
  return found.startsWith('-----') || (!PLACEHOLDER.test(found) && new Set(found).size >= MIN_DIFFERENT + 4)
}
