/** Null in an optional field of a native request means that the field is not given. The fields come from the shapes. */
import { describe, expect, it } from 'vitest'
import { OPERATIONS } from '../../src/http/routes.shape.ts'
import { OPENAPI } from '../support/openapi-document.ts'
import { startServer, type TestServer } from '../support/start-server.ts'

type Body = Readonly<Record<string, unknown>>
type Shape = {
  $id?: string
  type?: string
  anyOf?: Shape[]
  minimum?: number
  properties?: Record<string, Shape>
  required?: readonly string[]
  items?: Shape
}
/** An object of a request that has fields: the request, or the first item of one of its lists. */
type Place = { shape: Shape; path: string; put(fields: Body): Body; fields: Body }

const REQUESTS = OPERATIONS.flatMap(({ method, path, tag, body }) =>
  tag === 'native' && path.startsWith('/api/') && body !== undefined ? [{ method, path, body }] : [],
)
type Request = (typeof REQUESTS)[number]

/** Dry runs: no agent is started. */
const open = () => startServer({ config: { unified_flags: { dry_run: true } } })

/** The answer, with the place that the request is about. */
async function send(server: TestServer, { method, path }: Request, { about, body }: { about: string; body: Body }) {
  const target = path.replaceAll(/\{\w+\}/g, '0123abcd')
  const { status, body: answer } = await server.request(target, { method: method.toUpperCase(), body })
  const { error = '', message = '' } = answer as { error?: string; message?: string }
  return { about: `${method} ${path} ${about}`, status, error, message }
}

function placesOf({ body: { shape, examples } }: Request): Place[] {
  const [example, ...others] = Object.values(examples) as [Body, ...Body[]]
  const whole: Place = { shape: shape as Shape, path: '$', put: (fields) => fields, fields: example }
  const lists = Object.entries(whole.shape.properties ?? {}).filter(([, { items }]) => items?.properties !== undefined)
  const items = lists.map(([name, { items: item }]): Place => {
    const base = [example, ...others].find((one) => Array.isArray(one[name]))
    if (base === undefined) throw new Error(`No example of a request has the list ${name}.`)
    const [first, ...more] = base[name] as [Body]
    const put = (fields: Body) => ({ ...base, [name]: [fields, ...more] })
    return { shape: item as Shape, path: `$.${name}[0]`, put, fields: first }
  })
  return [whole, ...items]
}

function fieldsOf(place: Place) {
  const { shape, path } = place
  return Object.entries(shape.properties ?? {}).map(([name, field]) => ({
    name,
    field,
    path: `${path}.${name}`,
    isOptional: shape.required?.includes(name) !== true,
    takesNull: field.anyOf?.some(({ type }) => type === 'null') === true,
  }))
}

/** Every object with fields, and its fields. */
const PLACES = REQUESTS.flatMap((request) => placesOf(request).map((place) => ({ request, place })))
const FIELDS = PLACES.flatMap(({ request, place }) => fieldsOf(place).map((field) => ({ request, place, ...field })))
const OPEN = FIELDS.filter(({ isOptional, takesNull }) => isOptional && !takesNull)

function without(fields: Body, names: readonly string[]): Body {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))
}

describe('a field of a native request', () => {
  it('is not given if it is optional and null', async () => {
    const server = await open()
    for (const { request, place } of PLACES) {
      const names = OPEN.filter((field) => field.place === place).map(({ name }) => name)
      const left = without(place.fields, names)
      const { message: _, ...absent } = await send(server, request, { about: place.path, body: place.put(left) })
      const body = place.put({ ...left, ...Object.fromEntries(names.map((name) => [name, null])) })
      // What was created can be created only once.
      const other = absent.status === 201 ? await open() : server
      expect(await send(other, request, { about: place.path, body })).toMatchObject(absent)
    }
    expect(OPEN.length).toBeGreaterThan(100)
  })

  it('is refused by name if it is required and null, or has a wrong value', async () => {
    const server = await open()
    for (const { request, place, name, path: about, isOptional, field } of FIELDS) {
      const wrong = field.type === 'object' ? 7 : { wrong: true }
      for (const value of isOptional ? [wrong] : [wrong, null]) {
        const body = place.put({ ...place.fields, [name]: value })
        const refused = { status: 400, message: expect.stringContaining(about) }
        expect(await send(server, request, { about, body })).toMatchObject(refused)
      }
    }
  })

  it('is refused if it is null and not known', async () => {
    const server = await open()
    for (const { request, place } of PLACES) {
      const about = `${place.path}.unheard_of`
      const body = place.put({ ...place.fields, unheard_of: null })
      const refused = { status: 400, message: expect.stringContaining(`${about} is not a known field`) }
      expect(await send(server, request, { about, body })).toMatchObject(refused)
    }
  })

  it('is refused if it is a negative number', async () => {
    const server = await open()
    for (const { request, place, name, path: about, field } of FIELDS) {
      if (field.type !== 'integer' && field.type !== 'number') continue
      const body = place.put({ ...place.fields, [name]: -1 })
      const refused = { status: 400, message: expect.stringContaining(`${about} must be at least `) }
      expect(await send(server, request, { about, body })).toMatchObject(refused)
    }
  })

  it('is described as nullable exactly if it is optional', () => {
    for (const { request, place, name, path, isOptional } of FIELDS) {
      const component = OPENAPI.components.schemas[place.shape.$id ?? '']
      const properties = component?.['properties'] as Record<string, { nullable?: boolean }>
      const about = `${request.path} ${path}`
      expect({ about, nullable: properties[name]?.nullable ?? false }).toEqual({ about, nullable: isOptional })
    }
  })
})
