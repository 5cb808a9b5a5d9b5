import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathNotFound } from '../errors/faults.ts'
import type { RegisterRoutes } from '../register-routes.ts'
import { type Document, sendCached, toDocument } from '../response/send-cached.ts'
import { DOCS_PAGE, DOCS_POLICY, DOCS_START } from './docs-page.ts'

const SCRIPT = 'text/javascript; charset=utf-8'

const PAGE = toDocument('text/html; charset=utf-8', DOCS_PAGE)
const START = toDocument(SCRIPT, DOCS_START)

/** All that the page loads. What is not in this table does not exist, whatever its name looks like. */
const ASSETS: Readonly<Record<string, () => Document | Promise<Document>>> = {
  'start.js': () => START,
  'swagger-ui-bundle.js': shipped('swagger-ui-bundle.js', SCRIPT),
  'swagger-ui.css': shipped('swagger-ui.css', 'text/css; charset=utf-8'),
  'favicon-32x32.png': shipped('favicon-32x32.png', 'image/png'),
}

export const registerDocs: RegisterRoutes = (scope) => {
  scope.get('/docs', async (request, reply) => {
    reply.headers({ 'content-security-policy': DOCS_POLICY, 'referrer-policy': 'no-referrer' })
    return sendCached({ request, reply }, PAGE)
  })

  scope.get<{ Params: { asset: string } }>('/docs/:asset', async (request, reply) => {
    const { asset } = request.params
    if (asset === '') return reply.redirect('../docs', 308)
    const load = Object.hasOwn(ASSETS, asset) ? ASSETS[asset] : undefined
    if (load === undefined) throw pathNotFound({ path: `/docs/${asset}` })
    return sendCached({ request, reply }, await load())
  })
}

/** A file of Swagger UI, read when it is first asked for and kept from then on. */
function shipped(file: string, contentType: string): () => Promise<Document> {
  let loaded: Document | undefined
  return async () => {
    loaded ??= toDocument(contentType, await readFile(join(swaggerDirectory(), file)))
    return loaded
  }
}

function swaggerDirectory(): string {
  const require = createRequire(import.meta.url)
  return dirname(require.resolve('swagger-ui-dist/package.json'))
}
