import { parseAst } from 'vite'

/** A node of the parser. Each type has other fields. */
export interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

export const parseSource = (source: string, lang: 'ts' | 'tsx'): unknown => parseAst(source, { lang }).body

export interface LocatedNode {
  readonly node: SyntaxNode
  /** The innermost is the last. */
  readonly ancestors: readonly SyntaxNode[]
}

export function* nodesIn(value: unknown, ancestors: readonly SyntaxNode[] = []): Generator<LocatedNode> {
  if (Array.isArray(value)) for (const element of value) yield* nodesIn(element, ancestors)
  if (!isNode(value)) return
  yield { node: value, ancestors }
  for (const child of Object.values(value))
    if (typeof child === 'object') yield* nodesIn(child, [...ancestors, value])
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && 'type' in value

/** Returns the text of a literal or of markup, with `{}` for values, or undefined for other nodes. */
export function textOf(node: SyntaxNode): string | undefined {
  if (node.type === 'JSXText') return String(node.value).replace(/\s+/g, ' ').trim()
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node.type !== 'TemplateLiteral') return undefined
  const quasis = node.quasis as readonly { readonly value: { readonly cooked: string } }[]
  return quasis.map(({ value }) => value.cooked).join('{}')
}

export const placeholdersOf = (text: string): readonly string[] =>
  [...text.matchAll(/\{\w+\}/g)].map(String).sort()
