import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { limits } from '#tracker-client'
import type { RecordOf } from '../../api/api.ts'
import { sentenceOf } from '../../api/problems.ts'
import { chooseDoneStage } from '../../assignment/assignment-values.ts'
import { lastTypeOf, newAssignment, rememberType } from '../../assignment/new-assignment.tsx'
import { catalogQuery, useListing } from '../../data/use-listing.ts'
import { deleteDraft, readDraft, writeDraft } from '../../forms/drafts.ts'
import { useServices } from '../../services/services.ts'
import { inOneLine, t, tn } from '../../texts/text.ts'
import { addDays, dayOf, formatDay, today } from '../../time/days.ts'
import { Icon } from '../../ui/icon.tsx'
import { Menu } from '../../ui/menu.tsx'
import { BoardCard } from './board-card.tsx'
import { isFiltered, parseFilters } from './filters.ts'
import { useWindowed } from './use-windowed.ts'

type Assignment = RecordOf<'assignment'>
type Stage = RecordOf<'workflow'>

export interface BoardColumnProps extends Omit<BoardProps, 'onMove'> {
  readonly stage: Stage
  readonly typeNames: ReadonlyMap<string, string>
  /** Start times of impediments. */
  readonly blocked: ReadonlyMap<string, string>
  readonly dragged: Assignment | undefined
  onDrag(assignment: Assignment | undefined): void
  onDrop(): void
  onMove(assignment: Assignment, stage: Stage): void
}

/** The height of a card with a one-line name, until it was rendered. */
const estimatePixels = 92
/** Assignments that were done longer ago than this are hidden behind a button. */
const listedDaysOfDone = 14
/** A stage: its header stays, its cards scroll below it, and a card can be dropped anywhere in it. */
export function BoardColumn(props: BoardColumnProps) {
  const { stage, assignments, doneId, dragged, revealed, countOf, hasMore, onDrop, onMore } = props
  const isDone = stage.id === doneId
  const [isUnfolded, setUnfolded] = useState(false)
  const [isAdding, setAdding] = useState(false)
  const [isDraggedOver, setDraggedOver] = useState(false)
  const sorted = useMemo(() => inOrder(assignments, isDone), [assignments, isDone])
  const shown = useMemo(
    () => (isDone && !isUnfolded ? sorted.filter(isRecent) : sorted),
    [sorted, isDone, isUnfolded],
  )
  const isFolded = shown.length < sorted.length || (isDone && !isUnfolded && hasMore(stage.id))
  const windowed = useWindowed(shown, estimatePixels)
  const accepts = dragged !== undefined && dragged.workflowId !== stage.id
  const wantsMore = !isFolded && hasMore(stage.id) && windowed.drawn.at(-1)?.id === shown.at(-1)?.id
  useEffect(() => {
    if (wantsMore) onMore(stage.id)
  }, [wantsMore, shown.length])
  useEffect(() => (revealed === undefined ? undefined : windowed.reveal(revealed)), [revealed, shown])
  return (
    <section
      class={`column ${isDraggedOver && accepts ? 'drop' : ''}`}
      aria-labelledby={`stage-${stage.id}`}
      onDragOver={(event) => {
        if (accepts) event.preventDefault()
        setDraggedOver(true)
      }}
      onDragLeave={() => setDraggedOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setDraggedOver(false)
        onDrop()
      }}
    >
      <ColumnHeader {...props} isDone={isDone} onAdd={() => setAdding(true)} />
      <div class="column-cards" ref={windowed.scroller} onScroll={windowed.onScroll}>
        {isAdding && <QuickAdd {...props} onClose={() => setAdding(false)} />}
        <ul
          class="cards"
          style={{ paddingTop: `${windowed.before}px`, paddingBottom: `${windowed.behind}px` }}
        >
          {windowed.drawn.map((assignment) => (
            <BoardCard
              key={assignment.id}
              assignment={assignment}
              typeName={props.typeNames.get(assignment.assignmentTypeId) ?? ''}
              blockedSince={props.blocked.get(assignment.id)}
              isDone={isDone}
              isOpen={assignment.id === props.openId}
              isNew={assignment.id === revealed}
              query={props.query}
              stages={props.stages}
              onMove={props.onMove}
              onDrag={props.onDrag}
            />
          ))}
        </ul>
        {countOf(stage.id) === 0 && !isAdding && <p class="column-empty">{emptyTextOf(props)}</p>}
        {isFolded && (
          <button type="button" class="button quiet wide" onClick={() => setUnfolded(true)}>
            {tn(countOf(stage.id) - shown.length, 'Show 1 older', 'Show {count} older')}
          </button>
        )}
      </div>
    </section>
  )
}

/** The first column of an empty board says what to do next. */
function emptyTextOf({ stage, stages, query, countOf }: BoardColumnProps): string {
  const isFirstOfNothing = stage.id === stages[0]?.id && stages.every(({ id }) => countOf(id) === 0)
  if (!isFirstOfNothing) return t('Nothing here')
  return isFiltered(parseFilters(new URLSearchParams(query)))
    ? t('No assignments match these filters')
    : t('Add the first assignment with the plus above, or press C.')
}

function ColumnHeader(props: BoardColumnProps & { readonly isDone: boolean; onAdd(): void }) {
  const { stage, projectId, isDone, countOf, onAdd } = props
  const { router, session } = useServices()
  const changeStages = { label: t('Change the stages…'), run: () => router.go('/administration/workflows') }
  return (
    <header class="column-header">
      <h2 id={`stage-${stage.id}`} dir="auto">
        {stage.name}
      </h2>
      {isDone && (
        <span class="column-done" title={t('Assignments in this stage count as done')}>
          <Icon name="check" />
        </span>
      )}
      <span class="count">{countOf(stage.id)}</span>
      <Menu
        label={t('Stage {name}', { name: stage.name })}
        items={[
          {
            label: t('This stage means done'),
            isCurrent: isDone,
            run: () => chooseDoneStage(projectId, stage.id),
          },
          ...(session.person.value?.isAdministrator ? [changeStages] : []),
        ]}
      >
        <Icon name="more" />
      </Menu>
      <button
        type="button"
        class="button quiet icon-only"
        aria-label={t('New assignment in {stage}', { stage: stage.name })}
        onClick={onAdd}
      >
        <Icon name="plus" />
      </button>
    </header>
  )
}

const isRecent = ({ createdAt, updatedAt }: Assignment): boolean =>
  dayOf(updatedAt ?? createdAt) > addDays(today(), -listedDaysOfDone)

/** Sorted by end; finished ones by their last change, newest first. */
const inOrder = (assignments: readonly Assignment[], isDone: boolean): Assignment[] =>
  assignments.toSorted((a, b) =>
    isDone
      ? (b.updatedAt ?? b.createdAt).localeCompare(a.updatedAt ?? a.createdAt)
      : compare(a.endDate, b.endDate) || a.name.localeCompare(b.name),
  )

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

export interface QuickAddProps {
  readonly projectId: string
  readonly stage: RecordOf<'workflow'>
  onNew(assignment: RecordOf<'assignment'>): void
  onClose(): void
}

/**
 * Adds an assignment by a name and Enter, then the next one: for the user, of the type used last, a week long, without an
 * estimate.
 */
function QuickAdd({ projectId, stage, onNew, onClose }: QuickAddProps) {
  const { api, session } = useServices()
  const draft = `quick-${projectId}-${stage.id}`
  const [name, setName] = useState(() => readDraft<{ name: string }>(draft).name ?? '')
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const types = useListing('assignmentType', catalogQuery)
  const goBack = useFocus(input)
  const type = (text: string) => {
    setName(text)
    setProblem(undefined)
    if (text === '') deleteDraft(draft)
    else writeDraft(draft, { name: text })
  }
  const add = async () => {
    const assignmentTypeId = lastTypeOf(types.rows)
    if (isBusy || name.trim() === '') return
    if (assignmentTypeId === undefined) return setProblem(t('There are no types of assignments yet.'))
    setBusy(true)
    try {
      const userId = session.person.value?.id ?? ''
      const made = { ...newAssignment(projectId, stage.id, userId), name, assignmentTypeId }
      onNew(await api.create('assignment', made))
      rememberType(assignmentTypeId)
      type('')
    } catch (error) {
      setProblem(sentenceOf(error))
    }
    setBusy(false)
    input.current?.focus()
  }
  return (
    <form
      class="quick-add"
      onSubmit={(event) => {
        event.preventDefault()
        void add()
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        onClose()
        goBack()
      }}
    >
      <input
        ref={input}
        class="input"
        dir="auto"
        aria-label={t('Name of the new assignment in {stage}', { stage: stage.name })}
        placeholder={t('Name, then Enter')}
        maxLength={limits.name}
        value={name}
        readOnly={isBusy}
        onInput={(event) => type(event.currentTarget.value)}
        onBlur={() => name === '' && !isBusy && onClose()}
      />
      <WhatIsAdded type={types.rows.find(({ id }) => id === lastTypeOf(types.rows))?.name} />
      <p class="field-errors" role="alert">
        {problem}
      </p>
    </form>
  )
}

/** Explains the defaults, because nothing asks for them. */
function WhatIsAdded({ type }: { readonly type: string | undefined }) {
  const { session } = useServices()
  const end = t('Until {day}', { day: formatDay(newAssignment('', '', '').endDate) })
  return <p class="quiet-text">{inOneLine(type, end, session.person.value?.name)}</p>
}

/** Takes the focus, and returns a function that restores it. */
function useFocus(input: { readonly current: HTMLElement | null }): () => void {
  const before = useRef<Element>(null)
  // Runs at once: the next key belongs here already.
  useLayoutEffect(() => {
    before.current = document.activeElement
    input.current?.focus()
  }, [])
  return () => before.current instanceof HTMLElement && before.current.focus()
}

export interface BoardProps {
  readonly projectId: string
  readonly stages: readonly Stage[]
  readonly doneId: string | undefined
  readonly assignments: readonly Assignment[]
  readonly types: readonly RecordOf<'assignmentType'>[]
  readonly blocks: readonly RecordOf<'assignmentImpediment'>[]
  readonly isStale: boolean
  readonly openId: string | undefined
  /** The query of the address, so that links keep the filters. */
  readonly query: string
  /** A card that was just created or moved, to be scrolled into view. */
  readonly revealed: string | undefined
  countOf(stageId: string): number
  hasMore(stageId: string): boolean
  onMore(stageId: string): void
  onMove(assignment: Assignment, stage: Stage): void
  onNew(assignment: Assignment): void
}
