/**
 * `POST /hooks/github`: a delivery says that something has happened in a repository, and lets its watcher look soon. Nothing else
 * of the delivery is used. The endpoint only exists if `server.webhook_secret_file` is set.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { toErrorMessage } from '../../kit/fault.ts'
import { readFileText } from '../../kit/files/read-file.ts'
import { readJson } from '../../kit/json/read-json.ts'
import type { Log } from '../../kit/log.ts'
import type { RegisterRoutes } from '../context/server-context.ts'
import { hookSecretUnusable, hookSignatureInvalid } from '../errors/faults.ts'
import { BODY_RULES } from '../request/read-body.ts'
import { sendJson } from '../response/send-json.ts'

const SECRET_LIMIT_BYTES = 4096
const SHORTEST_SECRET = 16
/** A delivery that was seen before is not heeded again. */
const REMEMBERED = 1000

export const registerGitHubHook: RegisterRoutes = (scope, { config, drover, log }) => {
  const { webhook_secret_file: file } = config.server
  if (file === '') return
  const seen = new Set<unknown>()
  scope.post('/github', { config: { isRaw: true } }, async ({ body, headers }, reply) => {
    const bytes = body instanceof Buffer ? body : Buffer.alloc(0)
    if (!isSigned(bytes, headers['x-hub-signature-256'], readSecret(file, log))) throw hookSignatureInvalid({})
    const delivery = headers['x-github-delivery']
    const isNew = !seen.has(delivery)
    seen.add(delivery)
    for (const oldest of seen) if (seen.size > REMEMBERED) seen.delete(oldest)
    const repo = isNew ? repositoryIn(bytes) : undefined
    const isWatched = repo !== undefined && (await drover.watchers.poke(repo))
    void reply.code(202)
    return sendJson(reply, { is_new: isNew, is_watched: isWatched })
  })
}

/** Read each time, so that it can be changed. */
function readSecret(path: string, log: Log): string {
  try {
    const secret = readFileText({ path, limitBytes: SECRET_LIMIT_BYTES, links: 'follow' }).trim()
    if (secret.length >= SHORTEST_SECRET) return secret
    log.error({ path }, `the secret of the webhook has fewer than ${SHORTEST_SECRET} characters`)
  } catch (error) {
    log.error({ reason: toErrorMessage(error) }, 'the secret of the webhook cannot be read')
  }
  throw hookSecretUnusable({})
}

/** Undefined for an event that is about no repository. */
function repositoryIn(bytes: Buffer): string | undefined {
  const payload = readJson(bytes, BODY_RULES) as { repository?: { full_name?: unknown } } | null
  const name = payload?.repository?.full_name
  return typeof name === 'string' ? name : undefined
}

/** Whether a delivery was signed with the secret (https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries). Pure. */
export function isSigned(body: Buffer, signature: unknown, secret: string): boolean {
  const given = typeof signature === 'string' ? /^sha256=([0-9a-f]{64})$/.exec(signature)?.[1] : undefined
  if (given === undefined) return false
  return timingSafeEqual(createHmac('sha256', secret).update(body).digest(), Buffer.from(given, 'hex'))
}
