/** The MCP servers that agents get tools from. Only the user's own settings name them, never a repository. */
import { Type } from 'typebox'
import { optionalFlag, optionalList, strict, textLike } from '../kit/shape.ts'

/** Agents make the names of tools of it. Gemini takes no underscores. */
const serverName = textLike('^[a-z][a-z0-9-]{0,31}$', 'a lowercase word of at most 32 letters, digits and hyphens', {
  description: 'The name of the server, which prompts use.',
})

const values = (description: string) =>
  Type.Optional(Type.Record(Type.String(), Type.String(), { description, 'x-secret': true }))

const McpServer = strict({
  name: serverName,
  command: Type.Optional(
    Type.String({ minLength: 1, description: 'The program of a server on standard input and output.' }),
  ),
  args: optionalList('Its arguments. Other users can see them.', Type.String(), { maxItems: 64 }),
  env: values(
    `Variables of the program. \`\${NAME}\` stands for a variable of drover, \`\${file:/path}\` for the content of a file.`,
  ),
  url: Type.Optional(Type.String({ minLength: 1, description: 'The address of a server over HTTP, instead.' })),
  headers: values('Headers for that address, with references as in `env`.'),
  read_only: optionalFlag(
    'Its tools change nothing. Without it, agents that may only read do not get the server. Default: they may change things.',
  ),
})

export const mcpServers = Type.Array(McpServer, {
  default: [],
  description:
    'MCP servers that agents get, besides those of their own settings. A prompt can choose some of them by name. They run outside of the sandbox of the agent.',
  'x-rule': 'different names; either command or url; a name of a program or an absolute path; secrets by reference',
})
