import type { Tool } from '@modelcontextprotocol/server'

export declare const TOOLS: readonly Tool[]
