import type { ImportedItem, Source } from './items.ts'

/** The parts of a board that Trello exports as JSON. */
interface Board {
  readonly lists: readonly Named[]
  readonly cards: readonly Card[]
  readonly members?: readonly {
    readonly id: string
    readonly fullName?: string
    readonly username?: string
  }[]
  readonly labels?: readonly (Named & { readonly color?: string | null })[]
  readonly checklists?: readonly Checklist[]
  readonly actions?: readonly Action[]
}

interface Named {
  readonly id: string
  readonly name: string
  readonly closed?: boolean
}

interface Card extends Named {
  readonly desc?: string
  readonly idList: string
  readonly idMembers?: readonly string[]
  readonly idLabels?: readonly string[]
  readonly start?: string | null
  readonly due?: string | null
  readonly pos?: number
}

interface Checklist {
  readonly idCard: string
  readonly name: string
  readonly checkItems: readonly { readonly name: string; readonly state: string; readonly pos?: number }[]
}

interface Action {
  readonly type: string
  readonly date?: string
  readonly data?: { readonly text?: string; readonly card?: { readonly id: string } }
  readonly memberCreator?: { readonly fullName?: string; readonly username?: string }
}

/** Returns undefined if the JSON is no board. */
export function readTrello(board: unknown): Source | undefined {
  if (!isBoard(board)) return undefined
  const lists = new Map(board.lists.map((list) => [list.id, list]))
  const listOrder = new Map(board.lists.map(({ id }, index) => [id, index]))
  const isOpen = (card: Card) => !card.closed && lists.get(card.idList)?.closed !== true
  const cards = board.cards
    .filter(isOpen)
    .sort(
      (a, b) =>
        (listOrder.get(a.idList) ?? 0) - (listOrder.get(b.idList) ?? 0) || (a.pos ?? 0) - (b.pos ?? 0),
    )
  const people = new Map(board.members?.map(({ id, fullName, username }) => [id, fullName || username || '']))
  const labels = new Map(board.labels?.map(({ id, name, color }) => [id, name || (color ?? '')]))
  const checklists = Map.groupBy(board.checklists ?? [], ({ idCard }) => idCard)
  const comments = Map.groupBy(
    board.actions?.filter(({ type }) => type === 'commentCard') ?? [],
    ({ data }) => data?.card?.id,
  )
  const items = cards.map(
    (card, index): ImportedItem => ({
      line: index + 1,
      name: card.name,
      description: [card.desc ?? '', ...(checklists.get(card.id) ?? []).map(checklistText)]
        .filter((part) => part !== '')
        .join('\n\n'),
      stage: lists.get(card.idList)?.name ?? '',
      type: '',
      priority: '',
      start: card.start ?? '',
      end: card.due ?? '',
      estimate: '',
      people: (card.idMembers ?? []).flatMap((id) => people.get(id) || []),
      labels: (card.idLabels ?? []).flatMap((id) => labels.get(id) || []),
      // The newest action is the first of the export.
      comments: (comments.get(card.id) ?? []).toReversed().map(({ date = '', data, memberCreator }) => ({
        author: memberCreator?.fullName || memberCreator?.username || '',
        date,
        text: data?.text ?? '',
      })),
      work: [],
    }),
  )
  return { kind: 'items', items, skippedCount: board.cards.length - cards.length }
}

const isBoard = (value: unknown): value is Board =>
  typeof value === 'object' &&
  value !== null &&
  Array.isArray((value as Partial<Board>).lists) &&
  Array.isArray((value as Partial<Board>).cards)

/** A list of tasks in Markdown. */
const checklistText = ({ name, checkItems }: Checklist): string =>
  [
    `**${name}**`,
    '',
    ...checkItems
      .toSorted((a, b) => (a.pos ?? 0) - (b.pos ?? 0))
      .map((item) => `- [${item.state === 'complete' ? 'x' : ' '}] ${item.name}`),
  ].join('\n')
