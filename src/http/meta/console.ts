/** `GET /` and its files: the console, as `scripts/build-console.ts` has built it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { errorCode } from '../../kit/fault.ts'
import type { RegisterRoutes } from '../context/server-context.ts'
import { consoleNotBuilt, pathNotFound } from '../errors/faults.ts'
import { acceptsGzip, type Document, sendDocument, toDocument, VARY } from '../response/send-json.ts'

/** Allows only files of this server. No script can turn a text into markup: the page creates elements only. */
const CONSOLE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // Images of prompts are fetched with the secret of the login, and shown from memory.
  "img-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  // For the address of the one worker (subscribe.ts).
  'trusted-types push-worker',
].join('; ')

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

type ConsoleFiles = { page: Document; assets: ReadonlyMap<string, Asset> }
type Asset = { contentType: string; plain: Buffer; gzip: Buffer }

export const registerConsole: RegisterRoutes = (scope, { config, consoleDirectory }) => {
  if (!config.server.console) return
  const files = createReader(consoleDirectory)

  scope.get('/', async (request, reply) => {
    request.facts.isForConsoleFile = true
    reply.headers({ 'content-security-policy': CONSOLE_POLICY, 'referrer-policy': 'no-referrer' })
    return sendDocument({ request, reply }, files().page)
  })

  scope.get<{ Params: { asset: string } }>('/console/:asset', async (request, reply) => {
    request.facts.isForConsoleFile = true
    const { asset } = request.params
    const found = files().assets.get(asset)
    if (found === undefined) throw pathNotFound({ path: `/console/${asset}` })
    const { contentType, plain, gzip } = found
    reply.headers({ 'cache-control': 'public, max-age=31536000, immutable', vary: VARY })
    if (!acceptsGzip(request)) return reply.type(contentType).send(plain)
    return reply.type(contentType).header('content-encoding', 'gzip').send(gzip)
  })
}

export function isConsoleBuilt(directory: string): boolean {
  return existsSync(join(directory, 'page.html'))
}

/** The files are read once, at the first request. The request path never reaches the file system. */
function createReader(directory: string): () => ConsoleFiles {
  let read: ConsoleFiles | undefined
  return () => {
    read ??= readConsole(directory)
    return read
  }
}

function readConsole(directory: string): ConsoleFiles {
  try {
    const page = toDocument('text/html; charset=utf-8', readFileSync(join(directory, 'page.html')))
    const names = readdirSync(directory).filter((name) => MEDIA_TYPES[extname(name)] !== undefined)
    return { page, assets: new Map(names.map((name) => [name, toAsset(directory, name)])) }
  } catch (error) {
    throw errorCode(error) === 'ENOENT' ? consoleNotBuilt({}) : error
  }
}

function toAsset(directory: string, name: string): Asset {
  const plain = readFileSync(join(directory, name))
  return { contentType: MEDIA_TYPES[extname(name)] ?? '', plain, gzip: gzipSync(plain) }
}
