/** Identifies the sender of a request: by an API key, or by the cookie of a login to the console. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { csrfTokenOf, type NewLogin } from '../context/logins.ts'
import type { ServerContext } from '../context/server-context.ts'
import { csrfTokenInvalid } from '../errors/faults.ts'
import { isOwnPage } from './browsers.ts'
import { checkKey, type KeyCheck } from './identify.ts'
import { pathOf } from './target.ts'

/** The page learns its CSRF token here, so these requests cannot have one. `me` changes nothing, `login` checks the page itself. */
const WITHOUT_TOKEN = ['/api/v1/me', '/api/v1/login']

/** A key wins over a cookie. A cookie counts only for the page of this server, and only with the page's CSRF token. */
export function checkSender(request: FastifyRequest, { keys, logins }: ServerContext): KeyCheck {
  const check = checkKey(request.headers, keys)
  if (check.result !== 'missing' || !keys.isRequired) return check
  const token = loginCookie(request)
  const key = token === undefined ? undefined : logins.find(token)
  if (token === undefined || key === undefined || !isOwnPage(request.headers)) return check
  request.facts.loginToken = token
  if (needsToken(request) && request.headers['x-drover-csrf'] !== csrfTokenOf(token)) throw csrfTokenInvalid({})
  return { result: 'valid', key }
}

/** Browsers send the cookie also when they load the page itself, without any header of the page. */
function needsToken(request: FastifyRequest): boolean {
  const path = pathOf(request)
  return !WITHOUT_TOKEN.includes(path) && (path.startsWith('/api/') || request.method !== 'GET')
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
