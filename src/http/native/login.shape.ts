import { Type } from 'typebox'
import { type Message, namedObject, namedRequest, optionalText, type Static } from '../../kit/shape.ts'
import { LoggedIn, Sender } from '../../service/request-sender.shape.ts'
import { BODY_ERRORS, COMMON_ERRORS } from '../api-description/error-responses.shape.ts'
import { jsonResponse, type Operation, operation } from '../api-description/operation.shape.ts'

export const LoginBody = namedRequest('LoginRequest', {
  key: optionalText('An API key of the server.', { minLength: 1, maxLength: 1024 }),
  link: optionalText('The end of a link that `drover open` printed.', { minLength: 1, maxLength: 1024 }),
})
export type LoginBody = Static<typeof LoginBody>

const LoggedOut = namedObject('LoggedOut', { logged_out: Type.Literal(true) })
export type LoggedOut = Message<typeof LoggedOut>

const sender: Sender = {
  version: '0.2.0',
  auth: 'login',
  name: 'ci',
  role: 'client',
  may_merge: false,
  workdir: '/srv/projects',
  workdirs: ['/srv/projects'],
  may_decide: true,
}

const loggedIn: LoggedIn = {
  ...sender,
  page_secret: '5d41402abc4b2a76b9719d911017c592ae2c3a0b1a4ed4e1b7f1c6d8f3a0b9c2',
}

export const OPERATIONS: readonly Operation[] = [
  operation('get /api/v1/me', 'getSender', {
    summary: 'Get who sends the request and what it may do',
    responses: { 200: jsonResponse('The sender.', Sender, sender) },
    errors: COMMON_ERRORS,
  }),
  operation('post /api/v1/login', 'login', {
    summary: 'Log a browser in to the console',
    description:
      'With `key` or `link`. The answer sets a cookie and has the secret of the page: a request needs both, the latter as the header `X-Drover-Page-Secret`. Programs send their API key instead.',
    body: { shape: LoginBody, examples: { key: { key: 'drv_0123456789abcdef' } } },
    responses: { 200: jsonResponse('Logged in; the cookie is set.', LoggedIn, loggedIn) },
    errors: ['Conflict', ...BODY_ERRORS],
    isOpen: true,
  }),
  operation('post /api/v1/logout', 'logout', {
    summary: 'Log a browser out of the console',
    description: 'Logs the page out. Without a login it does nothing.',
    responses: { 200: jsonResponse('Logged out; the cookie is cleared.', LoggedOut, { logged_out: true }) },
    errors: COMMON_ERRORS,
  }),
]
