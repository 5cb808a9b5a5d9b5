/** Delivers an event to a target, once: the request for each kind of target is made by a pure function. */
import { createHmac } from 'node:crypto'
import type { Clock } from '../kit/clock.ts'
import { Fault } from '../kit/fault.ts'
import { readFileText } from '../kit/files/read-file.ts'
import { type Environment, toChildEnvironment } from '../kit/process/child-environment.ts'
import { runProcess } from '../kit/process/process.ts'
import type { NotifyEvent, NotifyRequest, NotifyTarget } from './notify-event.ts'
import type { BrowserTarget, PushTargets } from './push-targets.ts'

export type DeliveryPlaces = {
  readonly env: Environment
  readonly cwd: string
  readonly clock: Clock
  /** Undefined: this process tells no browsers. */
  readonly push?: PushTargets | undefined
}

/** Undefined: it was delivered. The problem names neither an address nor a secret. */
export type DeliveryProblem = { readonly problem: string; readonly isFinal?: true } | undefined

/** Both are shorter than the time for which an entry of the outbox is taken. */
const TIMEOUT_MS = 10_000
const COMMAND_TIMEOUT_MS = 15_000
const OUTPUT_LIMIT_BYTES = 1024 * 1024
const FILE_LIMIT_BYTES = 4096
/** How a push service says that a browser has unsubscribed. */
const GONE = [404, 410]

export async function deliver(
  target: NotifyTarget,
  event: NotifyEvent,
  places: DeliveryPlaces,
): Promise<DeliveryProblem> {
  try {
    if (target.type === 'browsers') return await tellBrowser(target, event, places)
    if (target.type === 'command') return await deliverToProgram(target.command ?? [], toInput(event), places)
    if (target.type !== 'desktop') return await send(toRequest(target, event, places))
    const shown = toDesktop(event, process.platform)
    return shown === undefined
      ? { problem: 'this system has no notifications', isFinal: true }
      : await deliverToProgram(shown, '', places)
  } catch (error) {
    if (error instanceof Fault) return { problem: error.code }
    throw error
  }
}

/** One that is gone is forgotten, with what waits for it. */
async function tellBrowser(
  target: NotifyTarget,
  event: NotifyEvent,
  { push }: DeliveryPlaces,
): Promise<DeliveryProblem> {
  if (push === undefined || !('browser' in target))
    return { problem: 'browsers are told by a server: open its console', isFinal: true }
  const browser = target as BrowserTarget
  const request = push.toRequest(browser, event)
  const failed =
    request === undefined
      ? { problem: 'its address is not allowed', isFinal: true as const }
      : await send(request, GONE)
  if (failed?.isFinal) await push.forget(browser)
  return failed
}

/** What a program gets on its standard input. */
function toInput({ data, kind, title, text, url }: NotifyEvent): string {
  return `${JSON.stringify({ event: kind, ...data, title, text, ...(url !== undefined && { url }) })}\n`
}

/** Starts a program, without a shell. */
export async function deliverToProgram(
  argv: readonly string[],
  stdin: string,
  { env, cwd }: Pick<DeliveryPlaces, 'env' | 'cwd'>,
): Promise<DeliveryProblem> {
  const [program = '', ...rest] = argv
  const { signal } = new AbortController()
  const { exit } = await runProcess(
    {
      ...{ argv: [program, ...rest], cwd, env: toChildEnvironment(env), stdin },
      ...{ timeoutMs: COMMAND_TIMEOUT_MS, signal, sweep: 'always' },
    },
    { stdoutLimitBytes: OUTPUT_LIMIT_BYTES },
  )
  return exit.code === 0 ? undefined : { problem: `it ended with ${exit.code ?? exit.signal}` }
}

/** Files are read for each delivery, so that a new secret counts at once. */
function toRequest({ type, url, url_file, secret_file }: NotifyTarget, event: NotifyEvent, { clock }: DeliveryPlaces) {
  const address = url ?? readLine(url_file)
  if (!URL.canParse(address)) return undefined
  if (type === 'slack') return toSlack(event, address)
  if (type === 'ntfy') return toNtfy(event, address)
  return toWebhook(event, { url: address, secret: readLine(secret_file), now: clock.now() })
}

function readLine(file = ''): string {
  return readFileText({ path: file, limitBytes: FILE_LIMIT_BYTES }).trim()
}

async function send(
  request: NotifyRequest<string | Uint8Array<ArrayBuffer>> | undefined,
  gone: readonly number[] = [410],
): Promise<DeliveryProblem> {
  if (request === undefined) return { problem: 'its file has no address' }
  const { url, headers, body } = request
  try {
    const response = await fetch(url, {
      ...{ method: 'POST', headers: { ...headers, 'user-agent': 'drover' }, body },
      // The user named this address and no other one: another could be in a private network.
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    await response.body?.cancel()
    return toProblem(response.status, gone)
  } catch (error) {
    return { problem: describe(error) }
  }
}

function toProblem(status: number, gone: readonly number[]): DeliveryProblem {
  if (status >= 200 && status < 300) return undefined
  if (status >= 300 && status < 400) return { problem: `it redirects (${status}), which is not followed` }
  // The receiver does not exist any more.
  return { problem: `it answered ${status}`, ...(gone.includes(status) && { isFinal: true }) }
}

/** The message of an error may have the address. */
function describe(error: unknown): string {
  const { name, cause } = error as { name?: string; cause?: { code?: string } }
  return name === 'TimeoutError' ? `no answer within ${TIMEOUT_MS / 1000} s` : String(cause?.code ?? name)
}

type Facts = { readonly url: string; readonly secret: string; readonly now: Date }

/** By https://www.standardwebhooks.com. The time is that of this attempt; the id stays the same. */
export function toWebhook(event: NotifyEvent, { url, secret, now }: Facts): NotifyRequest {
  const { id, kind, at, title, text, url: link, data } = event
  const more = { title, text, ...(link !== undefined && { url: link }) }
  const body = JSON.stringify({ type: `drover.${kind}`, timestamp: at, data: { ...data, ...more } })
  const seconds = String(Math.floor(now.getTime() / 1000))
  const signature = createHmac('sha256', toKey(secret)).update(`${id}.${seconds}.${body}`).digest('base64')
  const signed = { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': `v1,${signature}` }
  return { url, headers: { 'content-type': 'application/json', ...signed }, body }
}

/** A secret with this prefix is Base64. Any other one is used as it is. */
function toKey(secret: string): Buffer {
  return secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret)
}

export function toSlack(event: NotifyEvent, url: string): NotifyRequest {
  const link = event.url === undefined ? '' : `\n<${event.url}|Open in the console>`
  const text = `*${escapeSlack(event.title)}*\n${escapeSlack(event.text)}${link}`
  return { url, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ text }) }
}

/** Otherwise a question could mention everybody, or hide where a link leads. */
function escapeSlack(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
}

/** The address of a target names the topic last. JSON goes to the address before it. */
export function toNtfy({ title, text, url: click }: NotifyEvent, address: string): NotifyRequest {
  const url = new URL(address)
  const [, base = '/', topic = ''] = /^(.*\/)([^/]*)$/.exec(url.pathname.replace(/\/$/, '')) ?? []
  url.pathname = base
  const body = JSON.stringify({ topic, title, message: text, ...(click !== undefined && { click }) })
  return { url: url.href, headers: { 'content-type': 'application/json' }, body }
}

/** The arguments of the program that shows a notification on this desktop; undefined if there is none. */
export function toDesktop({ title, text }: NotifyEvent, platform: string): [string, ...string[]] | undefined {
  if (platform === 'linux') return ['notify-send', '--app-name=drover', '--', title, text]
  if (platform !== 'darwin') return undefined
  const script = ['on run argv', 'display notification (item 2 of argv) with title (item 1 of argv)', 'end run']
  return ['osascript', ...script.flatMap((line) => ['-e', line]), '--', title, text]
}
