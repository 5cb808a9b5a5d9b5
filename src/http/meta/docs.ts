/** `GET /openapi.json`, and `GET /docs` and its files: the same as an interactive page (Swagger UI). */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyRequest } from 'fastify'
import type { RegisterRoutes } from '../context/server-context.ts'
import { pathNotFound } from '../errors/faults.ts'
import { type Document, sendDocument, toDocument } from '../response/send-json.ts'

/** The /docs page. It loads files of this server only. */
const DOCS_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>drover API</title>
<link rel="icon" type="image/png" href="docs/favicon-32x32.png">
<link rel="stylesheet" href="docs/swagger-ui.css">
<script defer src="docs/swagger-ui-bundle.js"></script>
<script type="module" src="docs/start.js"></script>
</head>
<body>
<noscript>This page needs JavaScript. The same content is in <a href="openapi.json">openapi.json</a>.</noscript>
<div id="docs"></div>
</body>
</html>
`

/** Starts Swagger UI. All addresses are relative to the page, so it also works behind a proxy and under a prefix. */
const DOCS_START = `const response = await fetch('openapi.json')
const spec = await response.json()
spec.servers = [{ url: new URL('.', location.href).href.replace(/\\/$/, '') }]
SwaggerUIBundle({
  spec,
  dom_id: '#docs',
  deepLinking: true,
  displayRequestDuration: true,
  validatorUrl: null,
})
`

/** Allows only files of this server, and the inline images in the style sheet of Swagger UI. */
const DOCS_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const SCRIPT = 'text/javascript; charset=utf-8'

const PAGE = toDocument('text/html; charset=utf-8', DOCS_PAGE)
const START = toDocument(SCRIPT, DOCS_START)

/** All files that the page loads. The request path never reaches the file system. */
const ASSETS: Readonly<Record<string, () => Document | Promise<Document>>> = {
  'start.js': () => START,
  'swagger-ui-bundle.js': swaggerFile('swagger-ui-bundle.js', SCRIPT),
  'swagger-ui.css': swaggerFile('swagger-ui.css', 'text/css; charset=utf-8'),
  'favicon-32x32.png': swaggerFile('favicon-32x32.png', 'image/png'),
}

export const registerDocs: RegisterRoutes = (scope) => {
  scope.get('/docs', async (request, reply) => {
    reply.headers({ 'content-security-policy': DOCS_POLICY, 'referrer-policy': 'no-referrer' })
    return sendDocument({ request, reply }, PAGE)
  })

  scope.get<{ Params: { asset: string } }>('/docs/:asset', async (request, reply) => {
    const { asset } = request.params
    if (asset === '') return reply.redirect('../docs', 308)
    const load = Object.hasOwn(ASSETS, asset) ? ASSETS[asset] : undefined
    if (load === undefined) throw pathNotFound({ path: `/docs/${asset}` })
    return sendDocument({ request, reply }, await load())
  })
}

/** A file of Swagger UI. It is read on the first request and then cached. */
function swaggerFile(file: string, contentType: string): () => Promise<Document> {
  let loaded: Document | undefined
  return async () => {
    loaded ??= toDocument(contentType, await readFile(join(swaggerDirectory(), file)))
    return loaded
  }
}

/** The build copies the files beside the program and above the library. A clone reads them from the development dependency. */
function swaggerDirectory(): string {
  const beside = (path: string) => fileURLToPath(new URL(path, import.meta.url))
  const built = [beside('./docs/'), beside('../docs/')].find((path) => existsSync(join(path, 'swagger-ui.css')))
  return built ?? dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
}

export const registerOpenApi: RegisterRoutes = (scope, { version }) => {
  scope.get('/openapi.json', async (request, reply) => {
    const { OPENAPI } = await import('./openapi.generated.js')
    const servers = [{ url: serverAddress(request), description: 'This server' }]
    const document = { ...OPENAPI, info: { ...OPENAPI.info, version }, servers }
    return sendDocument({ request, reply }, toDocument('application/json; charset=utf-8', JSON.stringify(document)))
  })
}

/** A host name or IP address, with or without a port. */
const HOST = /^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/

/** The address that the client used. Fastify reads it from `X-Forwarded-*` headers only if a trusted proxy sent them. */
export function serverAddress({ host, protocol }: Pick<FastifyRequest, 'host' | 'protocol'>): string {
  if (!HOST.test(host)) return '/'
  return `${protocol.toLowerCase() === 'https' ? 'https' : 'http'}://${host}`
}
