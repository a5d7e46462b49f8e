import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { RecordOf } from '../../api/api.ts'
import { sentenceOf } from '../../api/api-problem.ts'
import { limits } from '../../api/types.ts'
import { lastTypeOf, newAssignment, rememberType } from '../../assignment/new-assignment.ts'
import { catalogQuery, useListing } from '../../data/use-listing.ts'
import { forgetDraft, readDraft, writeDraft } from '../../forms/drafts.ts'
import { useServices } from '../../services/services.ts'
import { inOneLine, t } from '../../texts/text.ts'
import { showDay } from '../../time/days.ts'

export interface QuickAddProps {
  readonly projectId: string
  readonly stage: RecordOf<'workflow'>
  onNew(assignment: RecordOf<'assignment'>): void
  onClose(): void
}

/** A name and Enter, then the next one: for oneself, of the type used last, a week long, not estimated yet. */
export function QuickAdd({ projectId, stage, onNew, onClose }: QuickAddProps) {
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
    if (text === '') forgetDraft(draft)
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

/** Said before, because nothing asks for it. */
function WhatIsAdded({ type }: { readonly type: string | undefined }) {
  const { session } = useServices()
  const end = t('Until {day}', { day: showDay(newAssignment('', '', '').endDate) })
  return <p class="quiet-text">{inOneLine(type, end, session.person.value?.name)}</p>
}

/** Takes the focus, and returns how to give it back to where it was. */
function useFocus(input: { readonly current: HTMLElement | null }): () => void {
  const before = useRef<Element>(null)
  // At once: what is typed next belongs here already.
  useLayoutEffect(() => {
    before.current = document.activeElement
    input.current?.focus()
  }, [])
  return () => before.current instanceof HTMLElement && before.current.focus()
}
