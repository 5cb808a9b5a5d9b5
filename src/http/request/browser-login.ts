/** Identifies the sender of a request: by an API key, or by a login to the console. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { LoginProof, NewLogin } from '../context/logins.ts'
import type { ServerContext } from '../context/server-context.ts'
import type { WrongKey } from '../context/wrong-keys.ts'
import { abortOnDisconnect } from '../response/disconnects.ts'
import { isOwnPage } from './browsers.ts'
import { checkKey, type KeyCheck, LOCAL_ADDRESS } from './identify.ts'

/** A key wins over a login, which counts only in requests of the page of this server. */
export function checkSender(request: FastifyRequest, { keys, logins }: ServerContext): KeyCheck {
  const check = checkKey(request.headers, keys)
  if (check.result !== 'missing' || !keys.isRequired) return check
  const login = loginIn(request)
  if (login === undefined || !isOwnPage(request.headers)) return check
  const key = logins.find(login)
  if (key === undefined) return check
  request.facts.login = login
  return { result: 'valid', key }
}

/** The cookie without the secret of the page is nothing: every server on this host gets the cookie. */
function loginIn(request: FastifyRequest): LoginProof | undefined {
  const token = loginCookie(request)
  const secret = request.headers['x-drover-page-secret']
  return token === undefined || typeof secret !== 'string' ? undefined : { token, secret }
}

/** How the answer to a key is delayed. Undefined if it is accepted, or wrong and answered at once. `keyId` is that of a valid key. */
export function wrongKeyIn(
  { facts: { isLocalUser, address } }: FastifyRequest,
  keyId: string | undefined,
  { keys, wrongKeys }: ServerContext,
): WrongKey | undefined {
  // On a Unix socket, senders cannot be told apart.
  if (!keys.isRequired || isLocalUser || address === LOCAL_ADDRESS) return undefined
  return wrongKeys.check(address, keyId)
}

/** To be called before a wrong key or a wrong log-in is answered. Throws a Fault if too many wait already. */
export async function delayWrongKey(wrong: WrongKey, reply: FastifyReply, context: ServerContext): Promise<void> {
  await context.wrongKeys.wait(wrong, abortOnDisconnect(reply.raw, context))
}

export function setLoginCookie(request: FastifyRequest, reply: FastifyReply, login: NewLogin): void {
  writeCookie({ request, reply }, { value: login.token, maxAgeSecs: login.maxAgeSecs })
}

export function clearLoginCookie(request: FastifyRequest, reply: FastifyReply): void {
  writeCookie({ request, reply }, { value: '', maxAgeSecs: 0 })
}

function writeCookie(
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { value, maxAgeSecs }: { value: string; maxAgeSecs: number },
): void {
  const parts = [`${cookieName(request)}=${value}`, 'Path=/', `Max-Age=${maxAgeSecs}`, 'HttpOnly', 'SameSite=Strict']
  if (request.protocol === 'https') parts.push('Secure')
  reply.header('set-cookie', parts.join('; '))
}

/** With the port, because servers on other ports of a host get the cookie too. */
function cookieName({ raw }: FastifyRequest): string {
  return `drover_login_${raw.socket.localPort ?? 0}`
}

function loginCookie(request: FastifyRequest): string | undefined {
  const name = cookieName(request)
  const cookies = (request.headers.cookie ?? '').split(';').map((cookie) => cookie.trim().split('='))
  return cookies.find(([each]) => each === name)?.[1] || undefined
}
