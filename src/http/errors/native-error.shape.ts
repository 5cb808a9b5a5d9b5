import { Type } from 'typebox'
import { named } from '../../kit/shape.ts'

/** How the native API and the meta endpoints say no. */
export const NativeError = named(
  'NativeError',
  Type.Object({
    error: Type.String({ pattern: '^[a-z][a-z0-9_]*$', description: 'The code, such as `unauthorized`.' }),
    message: Type.String({ description: 'What happened and what to do about it.' }),
    details: Type.Optional(
      Type.Unsafe<object>({ type: 'object', description: 'The same for programs; which fields depends on the code.' }),
    ),
  }),
)
