/** Walks a message and its schema side by side. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { STRICT } from './protocol-schema.ts'

type Schema = { readonly [word: string]: unknown }

/** An object in a message: its path, the object schema it fits, and the pointer of that schema in the document. */
export type Visit = { steps: readonly (string | number)[]; schema: Schema; pointer: string }

const ID = 'document'

export class MessageWalker {
  readonly #document: Schema
  readonly #ajv = new Ajv2020(STRICT)

  constructor(document: Schema) {
    this.#document = document
    addFormats.default(this.#ajv)
    this.#ajv.addSchema({ ...document, $id: ID })
  }

  /** All objects in a message. */
  visits(message: string, value: unknown): Visit[] {
    return this.#visit(value, { steps: [], pointer: `/$defs/${message}` })
  }

  /** Whether a value is valid by the published schema of a message. */
  fits(message: string, value: unknown): boolean {
    return this.#validator(`/$defs/${message}`)(numbersOnly(value)) === true
  }

  /** The pointers of all object schemas in the document. */
  objectPointers(): string[] {
    const found: string[] = []
    const look = (schema: unknown, pointer: string) => {
      if (typeof schema !== 'object' || schema === null) return
      if ('properties' in schema && 'additionalProperties' in schema) found.push(pointer)
      for (const [word, part] of Object.entries(schema)) look(part, `${pointer}/${word}`)
    }
    look(this.#document, '')
    return found
  }

  #visit(value: unknown, at: { steps: readonly (string | number)[]; pointer: string }): Visit[] {
    if (typeof value === 'bigint') return []
    const pointer = this.#resolveBranch(value, at.pointer)
    const schema = this.#at(pointer)
    if (Array.isArray(value)) {
      return value.flatMap((item, index) =>
        this.#visit(item, { steps: [...at.steps, index], pointer: itemPointer(schema, pointer, index) }),
      )
    }
    if (typeof value !== 'object' || value === null) return []
    const fields = Object.entries(value).flatMap(([name, part]) =>
      this.#visit(part, { steps: [...at.steps, name], pointer: `${pointer}/properties/${name}` }),
    )
    return [{ steps: at.steps, schema, pointer }, ...fields]
  }

  /** Follows references and chooses the branch that the value fits. */
  #resolveBranch(value: unknown, pointer: string): string {
    const schema = this.#at(pointer)
    if (typeof schema['$ref'] === 'string') return this.#resolveBranch(value, schema['$ref'].slice(1))
    if (Array.isArray(schema['allOf']) && schema['type'] === undefined)
      return this.#resolveBranch(value, `${pointer}/allOf/0`)
    const word = 'oneOf' in schema ? 'oneOf' : 'anyOf'
    const branches = schema[word]
    if (!Array.isArray(branches)) return pointer
    const fitting = branches.findIndex((_branch, index) =>
      this.#validator(`${pointer}/${word}/${index}`)(numbersOnly(value)),
    )
    if (fitting === -1) throw new Error(`no branch of ${pointer} fits ${JSON.stringify(numbersOnly(value))}`)
    return this.#resolveBranch(value, `${pointer}/${word}/${fitting}`)
  }

  #at(pointer: string): Schema {
    const steps = pointer.split('/').slice(1)
    return steps.reduce<Schema>((schema, step) => (schema[step] ?? {}) as Schema, this.#document)
  }

  #validator(pointer: string): ValidateFunction {
    const validate = this.#ajv.getSchema(`${ID}#${pointer}`)
    if (validate === undefined) throw new Error(`nothing is at ${pointer}`)
    return validate
  }
}

function itemPointer(schema: Schema, pointer: string, index: number): string {
  const places = (schema['prefixItems'] as unknown[] | undefined) ?? []
  return index < places.length ? `${pointer}/prefixItems/${index}` : `${pointer}/items`
}

/** A standard validator does not support bigints, so they become numbers. */
export function numbersOnly<T>(value: T): T {
  return JSON.parse(JSON.stringify(value, (_key, part) => (typeof part === 'bigint' ? Number(part) : part)))
}
