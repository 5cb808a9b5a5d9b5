export declare const TEXTS: {
  readonly boundaries: string
  readonly clarify: string
  readonly 'decision-interview': string
  readonly decompose: string
  readonly fetching: string
  readonly implement: string
  readonly implementing: string
  readonly interview: string
  readonly propose: string
  readonly publishing: string
  readonly review: string
  readonly reviewing: string
  readonly run: string
  readonly workflow: string
}
