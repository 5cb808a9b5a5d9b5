/**
 * Fetches the images that a request names by their address, if `server.fetch_images` is on. A client must not reach through the
 * server what only the server reaches: names are resolved here, and private addresses are refused, also after a redirect.
 */
import { request as sendHttp } from 'node:http'
import { request as sendHttps } from 'node:https'
import { isIP } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { isObject, type JsonRecord } from '../../agents/adapter/json-fields.ts'
import { errorCode, Fault, toErrorMessage } from '../../kit/fault.ts'
import { linkOf } from '../../prompts/attachment-parts.ts'
import { ATTACHMENT_LIMITS } from '../../prompts/attachments.ts'
import { type HostRule, parseHostRule, permitsAddress } from '../../sandbox/host-rules.ts'
import { PRIVATE_ADDRESS, permittedLookup } from '../../sandbox/permitted-lookup.ts'
import type { ServerContext } from '../context/server-context.ts'
import { imageNotFetched } from '../errors/faults.ts'

const MOST_REDIRECTS = 3
const TIME_LIMIT_MS = 15_000

/** The body with the content of the images in place of their addresses. Throws a Fault for one that cannot be fetched. */
export async function withFetchedImages(
  body: unknown,
  settings: Pick<ServerContext['config']['server'], 'fetch_images' | 'fetch_private_hosts'>,
  limitMs: number = TIME_LIMIT_MS,
): Promise<unknown> {
  if (!settings.fetch_images || !isObject(body)) return body
  const links = new Set<string>()
  replaceLinks(body, (url) => void links.add(url))
  if (links.size === 0) return body
  if (links.size > ATTACHMENT_LIMITS.count)
    throw imageNotFetched({ url: '', problem: `a request may name at most ${ATTACHMENT_LIMITS.count} images` })
  const rules = settings.fetch_private_hosts.flatMap((text) => parseHostRule(text) ?? [])
  const signal = AbortSignal.timeout(limitMs)
  const fetched = new Map<string, string>()
  for (const url of links) fetched.set(url, (await fetchImage(url, { rules, signal, limitMs })).toString('base64'))
  return replaceLinks(body, (url) => fetched.get(url))
}

/** The fields that messages and their contents are in. */
const INNER = ['messages', 'input', 'content', 'output']

function replaceLinks(value: unknown, contentOf: (url: string) => string | undefined): unknown {
  if (Array.isArray(value)) return value.map((each) => replaceLinks(each, contentOf))
  if (!isObject(value)) return value
  const url = linkOf(value)
  const data = url === undefined ? undefined : contentOf(url)
  if (data !== undefined) return { type: 'image', source: { type: 'base64', data } }
  const inner = INNER.filter((name) => typeof value[name] === 'object')
  const replaced: JsonRecord = Object.fromEntries(inner.map((name) => [name, replaceLinks(value[name], contentOf)]))
  return inner.length === 0 ? value : { ...value, ...replaced }
}

type Limits = { rules: readonly HostRule[]; signal: AbortSignal; limitMs: number }

async function fetchImage(given: string, limits: Limits): Promise<Buffer> {
  const refuse = (problem: string) => imageNotFetched({ url: given, problem })
  let url = given
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
    const answer = await fetchOnce(url, limits).catch((error: unknown) => {
      throw error instanceof Fault ? error : refuse(describeProblem(error, limits))
    })
    if (typeof answer !== 'string') return answer
    if (!/^https?:/i.test(answer)) throw refuse('it redirects to another protocol')
    url = answer
  }
  throw refuse('it redirects too often')
}

/** The content, or where it is. */
async function fetchOnce(address: string, { rules, signal }: Limits): Promise<Buffer | string> {
  const url = new URL(address)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  // For an address, no name is looked up.
  if (isIP(host) > 0 && !permitsAddress(host, rules)) throw Object.assign(new Error(), { code: PRIVATE_ADDRESS })
  const send = url.protocol === 'https:' ? sendHttps : sendHttp
  const options = { lookup: permittedLookup(rules), signal, agent: false, headers: { accept: 'image/*' } }
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | string>()
  const sent = send(url, options, (response) => {
    const { statusCode: status = 0, headers } = response
    response.once('error', reject)
    if (status >= 300 && status < 400 && headers.location !== undefined) {
      response.destroy()
      return resolve(new URL(headers.location, url).href)
    }
    if (status !== 200) {
      response.destroy()
      return reject(new Error(`its server answers with ${status}`))
    }
    let size = 0
    response.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > ATTACHMENT_LIMITS.bytesEach)
        response.destroy(new Error(`it has more than ${ATTACHMENT_LIMITS.bytesEach} bytes`))
    })
    buffer(response).then(resolve, reject)
  })
  sent.once('error', reject)
  sent.end()
  return await promise
}

function describeProblem(error: unknown, { signal, limitMs }: Limits): string {
  if (signal.aborted) return `it took longer than ${limitMs / 1000} s`
  if (errorCode(error) === PRIVATE_ADDRESS) return 'its host has a private address'
  return errorCode(error) ?? toErrorMessage(error)
}
