export declare const OPENAPI: Readonly<Record<string, unknown>> & { readonly info: Readonly<Record<string, unknown>> }
