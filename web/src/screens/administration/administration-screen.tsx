import type { TargetedDragEvent } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { RecordOf } from '../../api/api.ts'
import { sentenceOf } from '../../api/problems.ts'
import { toggleDoneStage } from '../../assignment/done-mark.ts'
import { colorChoices } from '../../assignment/labels.tsx'
import {
  guessDoneStages,
  type StageLook,
  stageLooksOf,
  stagesOf,
  stagesQuery,
} from '../../data/project-stages.ts'
import { useListing } from '../../data/use-listing.ts'
import { ChoiceField, NameField, TextAreaField, TextField } from '../../forms/fields.tsx'
import { Form, type FormState, useForm } from '../../forms/form.tsx'
import type { ScreenProps } from '../../router/router.ts'
import { useRemoval, useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { NewPasswordField } from '../../ui/form-fields.tsx'
import { Icon, IconButton } from '../../ui/icon.tsx'
import { StageMark } from '../../ui/marks.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Page, SearchField } from '../../ui/page.tsx'
import { EmptyState, LoadProblem, Skeleton } from '../../ui/page-states.tsx'
import { useOpenNewFromUrl } from '../../ui/view-controls.tsx'
import {
  AdministrationTabs,
  AdministratorsOnly,
  bodyOf,
  type Catalog,
  type CatalogField,
  type CatalogRow,
  type CatalogValues,
  catalogs,
  policyPath,
  TabSection,
  valuesOf,
} from './catalogs.tsx'
import { SignInPolicyPage } from './sign-in-policy-page.tsx'
import { UserFilter, Users, UsersSkeleton, useAccounts } from './users-table.tsx'

/** Only this many rows are loaded. The others are found by a search. */
const rowsMax = 100

/** Lets administrators manage users, and the catalogs from which all users choose. */
export function AdministrationScreen({ parameters: { catalog: path } }: ScreenProps) {
  const { configuration, session } = useServices()
  const catalog = catalogs.find((candidate) => candidate.path === path) ?? catalogs[0]
  if (!session.person.value?.isAdministrator || catalog === undefined)
    return <AdministratorsOnly title={t('Administration')} />
  if (policyPath.endsWith(`/${path}`) && configuration.extensions) return <SignInPolicyPage />
  return <CatalogPage key={catalog.path} catalog={catalog} />
}

function CatalogPage({ catalog }: { readonly catalog: Catalog }) {
  const { router } = useServices()
  const { resource, label, about, sortColumn } = catalog
  const search = router.address.value.searchParams.get('search') ?? ''
  const listing = useListing(resource, { search, sortColumn, pageSize: rowsMax })
  const rows: readonly CatalogRow[] = listing.rows
  const accounts = useAccounts(catalog, rows)
  const stages = useStages(catalog)
  const [dialog, setDialog] = useState<{ readonly row: CatalogRow | undefined }>()
  const openDialog = (row?: CatalogRow) => setDialog({ row })
  useOpenNewFromUrl(openDialog)
  const canMove = sortColumn === 'order' && search === ''
  return (
    <Page
      title={t('Administration')}
      actions={
        <button type="button" class="button primary" onClick={() => openDialog()}>
          <Icon name="plus" />
          <span>{t(catalog.newLabel)}</span>
        </button>
      }
    >
      <AdministrationTabs current={`/administration/${catalog.path}`} />
      <TabSection label={t(label)} about={t(about)}>
        <div class="catalog-tools">
          <SearchField
            label={t(catalog.searchLabel)}
            value={search}
            onChange={(text) => router.setQuery({ search: text })}
          />
          {resource === 'user' && (
            <UserFilter
              count={listing.totalCount}
              isComplete={listing.totalCount <= rowsMax}
              accounts={accounts.byUser}
            />
          )}
        </div>
        {listing.problem && <LoadProblem problem={listing.problem} onRetry={listing.reload} />}
        {listing.isLoading &&
          (resource === 'user' ? <UsersSkeleton /> : <Skeleton as="rows" rows={6} cells="text icon" />)}
        {!listing.isLoading && !listing.problem && rows.length === 0 && (
          <NoRows search={search} catalog={catalog} />
        )}
        {resource === 'user' && rows.length > 0 && (
          <Users rows={rows} accounts={accounts} onChange={openDialog} />
        )}
        {resource !== 'user' && (
          <CatalogLines
            catalog={catalog}
            rows={rows}
            stages={stages}
            canMove={canMove}
            onChange={openDialog}
          />
        )}
        {listing.totalCount > rowsMax && (
          <p class="quiet-text">
            {t('The first {count} of {total}. Search to find the others.', {
              count: rowsMax,
              total: listing.totalCount,
            })}
          </p>
        )}
      </TabSection>
      {dialog && (
        <CatalogDialog
          catalog={catalog}
          row={dialog.row}
          nextOrder={(stages.at(-1)?.order ?? -1) + 1}
          onClose={() => setDialog(undefined)}
        />
      )}
    </Page>
  )
}

/**
 * Returns all stages, also those that a search hides, because the position of a new stage and the looks of
 * all stages depend on them. Returns none for other catalogs.
 */
const useStages = ({ resource }: Catalog): readonly RecordOf<'workflow'>[] =>
  useListing('workflow', resource === 'workflow' ? stagesQuery : undefined).rows

interface CatalogLinesProps {
  readonly catalog: Catalog
  readonly rows: readonly CatalogRow[]
  /** All stages, or none for other catalogs. */
  readonly stages: readonly RecordOf<'workflow'>[]
  readonly canMove: boolean
  onChange(row: CatalogRow): void
}

function CatalogLines({ catalog, rows, stages, canMove, onChange }: CatalogLinesProps) {
  const { shown, move } = useStageOrder(rows)
  const dragOf = useRowDrag(move)
  const looks = defaultLooksOf(stages)
  return (
    <ul class="rows">
      {shown.map((row, index) => {
        const isLast = index === shown.length - 1
        return (
          <CatalogLine
            key={row.id}
            catalog={catalog}
            row={row}
            look={looks.get(row.id)}
            stages={stages}
            onChange={() => onChange(row)}
            onMove={(steps) => move(index, index + steps)}
            drag={canMove ? dragOf(index, isLast) : undefined}
            isFirst={index === 0}
            isLast={isLast}
          />
        )
      })}
    </ul>
  )
}

const defaultLooksOf = (workflows: readonly RecordOf<'workflow'>[]) => {
  const stages = stagesOf(workflows, [])
  return stageLooksOf(stages, new Set(guessDoneStages(stages).map(({ id }) => id)))
}

const NoRows = ({ search, catalog }: { readonly search: string; readonly catalog: Catalog }) => (
  <EmptyState
    icon="list"
    title={search === '' ? t(catalog.emptyText) : t(catalog.noMatchText, { text: search })}
  >
    <p>{search === '' ? t('Create the first one.') : t('Try fewer letters, or clear the search.')}</p>
  </EmptyState>
)

/** Moves a stage, and renumbers the stages whose position changes. The new order is shown at once. */
function useStageOrder(rows: readonly CatalogRow[]) {
  const { api, toasts } = useServices()
  const [movedRows, setMovedRows] = useState<readonly CatalogRow[]>()
  const pendingCount = useRef(0)
  const lastWrite = useRef(Promise.resolve())
  useEffect(() => {
    if (pendingCount.current === 0) setMovedRows(undefined)
  }, [rows])
  const shown = movedRows ?? rows
  const write = async (changed: readonly CatalogRow[]) => {
    for (const { id, name, order } of changed) await api.update('workflow', { id, name, order: order ?? 0 })
  }
  const save = async (before: readonly CatalogRow[], after: readonly CatalogRow[]) => {
    await write(after)
    toasts.show({
      kind: 'done',
      text: t('The stages were saved.'),
      undo: () => write(before),
      redo: () => write(after),
    })
  }
  const move = (from: number, to: number) => {
    const moved = shown.filter((_, index) => index === from)
    const next = shown.toSpliced(from, 1).toSpliced(to, 0, ...moved)
    const before = next.filter(({ order }, index) => order !== index)
    const after = before.map((row) => ({ ...row, order: next.indexOf(row) }))
    setMovedRows(next.map((row, order) => ({ ...row, order })))
    pendingCount.current += 1
    lastWrite.current = lastWrite.current
      .then(() => save(before, after))
      .catch((error) => {
        setMovedRows(undefined)
        toasts.show({ kind: 'problem', text: sentenceOf(error) })
      })
      .then(() => {
        pendingCount.current -= 1
      })
  }
  return { shown, move }
}

type RowDragEvent = TargetedDragEvent<HTMLElement>

/** Lets the pointer drag rows by their handles. The edge of a row shows where the dragged one would be placed. */
function useRowDrag(move: (from: number, to: number) => void) {
  const [from, setFrom] = useState<number>()
  const [gap, setGap] = useState<number>()
  const end = () => {
    setFrom(undefined)
    setGap(undefined)
  }
  return (index: number, isLast: boolean) => ({
    class: [
      from === index && 'dragged',
      from !== undefined && gap === index && 'drop-before',
      from !== undefined && isLast && gap === index + 1 && 'drop-after',
    ]
      .filter(Boolean)
      .join(' '),
    handle: {
      onDragStart(event: RowDragEvent) {
        const row = event.currentTarget.closest('.row')
        if (row) event.dataTransfer?.setDragImage(row, 0, 0)
        event.dataTransfer?.setData('text/plain', row?.textContent ?? '')
        setFrom(index)
      },
      onDragEnd: end,
    },
    row: {
      onDragOver(event: RowDragEvent) {
        if (from === undefined) return
        event.preventDefault()
        const { top, height } = event.currentTarget.getBoundingClientRect()
        setGap(event.clientY < top + height / 2 ? index : index + 1)
      },
      onDrop(event: RowDragEvent) {
        event.preventDefault()
        const to = gap !== undefined && from !== undefined && gap > from ? gap - 1 : gap
        if (from !== undefined && to !== undefined && to !== from) move(from, to)
        end()
      },
    },
  })
}

interface CatalogLineProps extends Pick<CatalogLinesProps, 'catalog' | 'stages'> {
  readonly row: CatalogRow
  /** The look of a stage in projects that have not chosen another color for it. */
  readonly look: StageLook | undefined
  readonly isFirst: boolean
  readonly isLast: boolean
  /** Undefined if the rows have no order, or if a search hides some of them. */
  readonly drag: ReturnType<ReturnType<typeof useRowDrag>> | undefined
  onChange(): void
  onMove(steps: number): void
}

function CatalogLine(props: CatalogLineProps) {
  const { row, look, isFirst, isLast, drag, onMove } = props
  const { name } = row
  return (
    <li class={`row catalog-row ${drag?.class ?? ''}`} {...drag?.row}>
      {drag && <span class="row-handle" draggable title={t('Drag to move')} {...drag.handle} />}
      {look && <StageMark {...look} />}
      <span class="row-text">
        <bdi>{name}</bdi>
        {row.description && (
          <span class="quiet-text line" dir="auto">
            {row.description}
          </span>
        )}
      </span>
      {look?.isDone && (
        <span class="chip">
          <Icon name="check" /> {t('Means done')}
        </span>
      )}
      <span class="row-buttons">
        {drag && (
          <>
            <IconButton
              icon="up"
              label={t('Move {name} up', { name })}
              isDisabled={isFirst}
              run={() => onMove(-1)}
            />
            <IconButton
              icon="down"
              label={t('Move {name} down', { name })}
              isDisabled={isLast}
              run={() => onMove(1)}
            />
          </>
        )}
        <CatalogMenu {...props} />
      </span>
    </li>
  )
}

function CatalogMenu({ catalog, row, look, stages, onChange }: CatalogLineProps) {
  const services = useServices()
  const remove = useRemoval()
  const stage = services.configuration.extensions ? stages.find(({ id }) => id === row.id) : undefined
  return (
    <Menu
      label={t('Actions for {name}', { name: row.name })}
      items={[
        { label: t('Edit…'), run: onChange },
        ...(stage
          ? [
              {
                label: t('This stage means done'),
                isCurrent: look?.isDone ?? false,
                run: () => void toggleDoneStage(services, stage, stages, look?.isDone ?? false),
              },
            ]
          : []),
        {
          label: t('Remove'),
          kind: 'danger',
          run: () => void remove(catalog.resource, row.id, row.name),
        },
      ]}
    >
      <Icon name="more" />
    </Menu>
  )
}

interface CatalogDialogProps {
  readonly catalog: Catalog
  /** Undefined for a new entry. */
  readonly row: CatalogRow | undefined
  /** The position of a new stage. */
  readonly nextOrder: number
  onClose(): void
}

function CatalogDialog({ catalog, row, nextOrder, onClose }: CatalogDialogProps) {
  const { api, configuration, session, toasts } = useServices()
  const { resource, fields } = catalog
  const shownFields = fields.filter(({ isExtension }) => configuration.extensions || !isExtension)
  const hasPassword = fields.some(({ name }) => name === 'password')
  const form = useForm<CatalogValues>({
    // A password must not be stored as a draft.
    ...(!hasPassword && { draft: `${resource}-${row?.id ?? 'new'}` }),
    initial: valuesOf(catalog, row),
    async submit(values) {
      const order = catalog.isOrdered && row === undefined && { order: nextOrder }
      const body = { ...bodyOf(values, row), ...order } as never
      if (row === undefined) await api.create(resource, body)
      else await api.update(resource, body)
      toasts.show({
        kind: 'done',
        text: row
          ? t('{name} was saved.', { name: values.name ?? '' })
          : t('{name} was created.', { name: values.name ?? '' }),
        // The previous password is unknown, so it cannot be restored.
        undo: row === undefined || hasPassword ? undefined : () => restoreValues(row),
        redo: () => api.update(resource, body),
      })
    },
  })
  const restoreValues = (before: CatalogRow) =>
    api.update(resource, bodyOf(valuesOf(catalog, before), before) as never)
  const isSelf = row !== undefined && row.id === session.person.value?.id
  return (
    <Dialog title={row ? t('Edit {name}', { name: row.name }) : t(catalog.newLabel)} onClose={onClose}>
      <Form form={form} submitLabel={row ? t('Save') : t('Create')} onCancel={onClose} onDone={onClose}>
        <NameField form={form} />
        {shownFields.map((field) => (
          <CatalogFieldInput key={field.name} form={form} field={field} isNew={row === undefined} />
        ))}
        {row && hasPassword && (
          <p class="form-note">
            {isSelf
              ? t('A new login or password ends all your sessions, including this one.')
              : t('A new login or password ends all sessions of {name}.', { name: row.name })}
          </p>
        )}
      </Form>
    </Dialog>
  )
}

interface CatalogFieldInputProps {
  readonly form: FormState<CatalogValues>
  readonly field: CatalogField
  readonly isNew: boolean
}

function CatalogFieldInput({ form, field, isNew }: CatalogFieldInputProps) {
  const { name, label, required, hint } = field
  const fieldProps = { form, name, label: t(label), required, ...(hint && { hint: t(hint) }) }
  if (name === 'description') return <TextAreaField {...fieldProps} />
  if (name === 'color') return <ChoiceField {...fieldProps} choices={colorChoices} />
  if (name === 'login') return <TextField {...fieldProps} />
  if (isNew) return <NewPasswordField {...fieldProps} />
  return (
    <NewPasswordField
      {...fieldProps}
      required={false}
      label={t('New password')}
      hint={t('Leave it empty to keep it.')}
    />
  )
}
