/** A filter, read and within its limits. */
export type Filter =
  | { readonly all: readonly Filter[] }
  | { readonly any: readonly Filter[] }
  | { readonly not: Filter }
  | Comparison

export interface Comparison {
  readonly column: string
  readonly shape: Shape
  readonly operator: Operator
  /** One, unless the operator is `in`. */
  readonly values: readonly Value[]
}

export type Shape = 'text' | 'uuid' | 'moment' | 'number'
export type Value = string | number | null
export type Operator = 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge' | 'in' | 'contains' | 'startsWith'

/** What each kind of column can be compared by. */
export const operatorsOf: Readonly<Record<Shape, readonly Operator[]>> = {
  text: ['eq', 'ne', 'in', 'contains', 'startsWith'],
  uuid: ['eq', 'ne', 'in'],
  moment: ['eq', 'ne', 'lt', 'le', 'gt', 'ge'],
  number: ['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'in'],
}
