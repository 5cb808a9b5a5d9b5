/** Programs for seccomp(2), by processor, as base64. */
export declare const SECCOMP_FILTERS: Readonly<Record<string, string>>
