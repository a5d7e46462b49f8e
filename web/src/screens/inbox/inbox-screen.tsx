import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Notification } from '#tracker-client'
import type { RecordOf } from '../../api/api.ts'
import { loadByIds } from '../../api/load-all.ts'
import { sentenceOf } from '../../api/problems.ts'
import { focusInPanel, isPanelFull } from '../../assignment/panel-frame.tsx'
import { assignmentKey } from '../../data/assignments.ts'
import { useInterval, useLive, useLoaded } from '../../data/use-loaded.ts'
import { assignmentPath } from '../../router/router.ts'
import { useServices } from '../../services/services.ts'
import { shorten, t, tn, tx } from '../../texts/text.ts'
import { dayOf, formatDayHeading, formatTime, formatTimestamp } from '../../time/days.ts'
import { Icon, IconButton } from '../../ui/icon.tsx'
import { plainText } from '../../ui/markdown-text.ts'
import { mentionedIn, showMentions } from '../../ui/mention-text.ts'
import { kindNames, notificationLooks } from '../../ui/notification-text.ts'
import { Page, ProjectMark } from '../../ui/page.tsx'
import { EmptyState, LoadProblem, Skeleton } from '../../ui/page-states.tsx'
import { PersonAvatar } from '../../ui/people.tsx'
import { ChoiceButtons } from '../../ui/view-controls.tsx'
import { endTextOf, groupByDay, groupNotifications, type NotificationGroup } from './group-notifications.ts'
import { InboxPanel, useOpened } from './inbox-panel.tsx'

/** The largest page that the API returns. */
const pageSize = 100

/**
 * Lists the notifications of the account by assignment, live. In a wide window, an assignment is opened next to the
 * list.
 */
export function InboxScreen() {
  const { router } = useServices()
  const inbox = useInbox()
  const { isWide, opened, open, close } = useOpened()
  const hasAside = isWide && (opened !== undefined || inbox.page?.data.length !== 0)
  return (
    <div class={`inbox-page ${hasAside ? 'with-aside' : ''}`}>
      <div class="inbox-column" inert={opened !== undefined && isPanelFull(router.address.value)}>
        <Inbox {...inbox} openedId={opened?.assignmentId} onOpen={isWide ? open : undefined} />
      </div>
      {opened && <InboxPanel key={opened.assignmentId} {...opened} onClose={close} />}
      {hasAside && !opened && (
        <div class="inbox-aside">
          {inbox.page && (
            <EmptyState icon="bell" title={t('Choose a notification')}>
              <p>{t('Its assignment is shown here.')}</p>
            </EmptyState>
          )}
        </div>
      )}
    </div>
  )
}

/** Loads a page of the notifications that match the filters of the address. */
function useInbox() {
  const { router, tracker } = useServices()
  const address = router.address.value.searchParams
  const isUnreadOnly = address.get('show') === 'unread'
  const kind = address.get('kind') ?? ''
  const pageNumber = Number(address.get('page') ?? '1')
  const query = {
    pageSize,
    pageNumber,
    ...(isUnreadOnly && { unread: 'true' as const }),
    ...(kind && { kind }),
  }
  const { value, problem, reload } = useLive(`inbox-${JSON.stringify(query)}`, (options) =>
    tracker.connect('GET /ext/notifications', { query }, options),
  )
  return { isUnreadOnly, kind, pageNumber, page: value?.result, problem, reload }
}

interface InboxProps extends ReturnType<typeof useInbox> {
  /** The assignment that is open next to the list. */
  readonly openedId: string | undefined
  /** Opens an assignment next to the list. Undefined if its own screen is opened instead. */
  readonly onOpen: ((group: NotificationGroup) => void) | undefined
}

function Inbox({ isUnreadOnly, kind, pageNumber, page, problem, reload, openedId, onOpen }: InboxProps) {
  const { people, toasts, tracker } = useServices()
  const notifications = page?.data ?? []
  const groups = groupNotifications(notifications)
  const details = useDetails(notifications)
  useRenderEveryMinute()
  const mark = (isRead: boolean, which: { readonly ids: string[] } | { readonly all: true }) =>
    void tracker
      .call('PATCH /ext/notifications', { body: { isRead, ...which } })
      .catch((error) => toasts.show({ kind: 'problem', text: sentenceOf(error) }))
  const list = useFocusInList(groups)
  return (
    <Page title={t('Inbox')} actions={<InboxActions page={page} onRead={() => mark(true, { all: true })} />}>
      <InboxFilters isUnreadOnly={isUnreadOnly} kind={kind} hasNothing={page?.totalCount === 0} />
      {problem && <LoadProblem problem={problem} onRetry={reload} />}
      {page === undefined && !problem && <Skeleton as="rows" rows={6} cells="lines button" />}
      {page?.data.length === 0 && <EmptyInbox isUnreadOnly={isUnreadOnly} />}
      <ol class="inbox-days" ref={list.element} onKeyDown={list.onKeyDown} aria-label={t('Inbox')}>
        {groupByDay(groups).map(([day, groupsOfDay]) => (
          <li key={day} class="change-day">
            <h2 id={`inbox-${day}`}>{formatDayHeading(day)}</h2>
            <ul class="rows inbox" aria-labelledby={`inbox-${day}`}>
              {groupsOfDay.map((group) => (
                <InboxRow
                  key={group.assignmentId}
                  group={group}
                  isOpened={group.assignmentId === openedId}
                  details={details}
                  actorOf={(id) => (id === null ? t('the system') : people.nameOf(id))}
                  onOpen={onOpen}
                  onMark={(isRead) => {
                    list.keepPlace()
                    mark(isRead, { ids: group.notifications.map(({ id }) => id) })
                  }}
                />
              ))}
            </ul>
          </li>
        ))}
      </ol>
      {page && page.totalPages > 1 && (
        <p class="form-buttons">
          {pageNumber > 1 && <PageLink number={pageNumber - 1} label={t('Newer')} />}
          {pageNumber < page.totalPages && <PageLink number={pageNumber + 1} label={t('Show older')} />}
        </p>
      )}
    </Page>
  )
}

const InboxActions = ({ page, onRead }: Pick<InboxProps, 'page'> & { onRead(): void }) => (
  <>
    <MailsLink />
    <button
      type="button"
      class="button inbox-read"
      hidden={page?.data.length === 0}
      disabled={!page?.unreadCount}
      onClick={onRead}
    >
      {t('Mark all as read')}
    </button>
  </>
)

const EmptyInbox = ({ isUnreadOnly }: { readonly isUnreadOnly: boolean }) => (
  <div class="inbox-empty">
    <EmptyState icon="bell" title={isUnreadOnly ? t('No unread notifications') : t('Nothing here yet')}>
      <p>
        {t(
          'You are notified when an assignment becomes yours, when you are mentioned, and when your work changes.',
        )}
      </p>
    </EmptyState>
  </div>
)

/** Links to the mail settings, if the server sends notifications by mail. */
function MailsLink() {
  const { configuration } = useServices()
  if (!configuration.notificationMails) return null
  return (
    <a class="button quiet inbox-mails" href="/account?part=notifications" title={t('Choose what is mailed')}>
      <Icon name="gear" />
      <span>{t('Choose what is mailed')}</span>
    </a>
  )
}

function PageLink({ number, label }: { readonly number: number; readonly label: string }) {
  const { router } = useServices()
  const query = new URLSearchParams(router.address.value.searchParams)
  query.set('page', String(number))
  return (
    <a class="button" href={`/inbox?${query}`}>
      {label}
    </a>
  )
}

interface InboxFiltersProps {
  readonly isUnreadOnly: boolean
  readonly kind: string
  /** True if no notification matches. If no filter is set, the controls are hidden, but keep their space. */
  readonly hasNothing: boolean
}

function InboxFilters({ isUnreadOnly, kind, hasNothing }: InboxFiltersProps) {
  const { router } = useServices()
  const isNeeded = !hasNothing || isUnreadOnly || kind !== ''
  return (
    <div class={`filters ${isNeeded ? '' : 'unneeded'}`}>
      <ChoiceButtons
        label={t('Filter')}
        names={['', 'unread']}
        current={isUnreadOnly ? 'unread' : ''}
        labelOf={(name) => (name === '' ? t('Everything') : t('Unread'))}
        onChoose={(show) => router.setQuery({ show, page: '' })}
      />
      <select
        class="input filter-person filter-end"
        aria-label={t('All kinds')}
        value={kind}
        onChange={({ currentTarget }) => router.setQuery({ kind: currentTarget.value, page: '' })}
      >
        <option value="">{t('All kinds')}</option>
        {Object.entries(kindNames).map(([name, text]) => (
          <option key={name} value={name}>
            {t(text)}
          </option>
        ))}
      </select>
    </div>
  )
}

interface InboxRowProps {
  readonly group: NotificationGroup
  readonly isOpened: boolean
  readonly details: Details
  readonly onOpen: InboxProps['onOpen']
  actorOf(id: string | null): string
  onMark(isRead: boolean): void
}

/** Shows an assignment with its newest notification. A button shows the others. */
function InboxRow({ group, details, actorOf, ...linkProps }: InboxRowProps) {
  const { assignmentId, name, projectId, notifications } = group
  const { isOpened, onMark } = linkProps
  const [newest, ...earlier] = notifications
  const [showsEarlier, setShowsEarlier] = useState(false)
  const unread = notifications.filter(({ readAt }) => readAt === null)
  const lineProps = { details, actorOf }
  if (newest === undefined) return null
  return (
    <li
      class={`row ${unread.length > 0 ? 'unread' : ''} ${isOpened ? 'opened' : ''}`}
      data-row={assignmentId}
    >
      {newest.actorId === null ? <SystemAvatar /> : <PersonAvatar id={newest.actorId} isDecorative />}
      <div class="row-text">
        <span class="inbox-head">
          <span class="inbox-title">
            <InboxLink group={group} isUnread={unread.length > 0} {...linkProps} />{' '}
            {unread.length > 0 && (
              <span class="visually-hidden">{tn(unread.length, '1 unread', '{count} unread')}</span>
            )}
          </span>
          <Time at={newest.at} />
        </span>
        <ul class="inbox-lines">
          <InboxLine notification={newest} {...lineProps}>
            <KeyOfProject
              project={details.projectOf(projectId)}
              assignmentKey={details.keyOf(assignmentId)}
            />
          </InboxLine>
          {showsEarlier &&
            earlier.map((notification) => (
              <InboxLine key={notification.id} notification={notification} {...lineProps}>
                <Time at={notification.at} />
              </InboxLine>
            ))}
        </ul>
        {earlier.length > 0 && (
          <button
            type="button"
            class="inbox-earlier"
            aria-expanded={showsEarlier}
            onClick={() => setShowsEarlier(!showsEarlier)}
          >
            <Icon name={showsEarlier ? 'up' : 'down'} />
            {tn(earlier.length, '1 earlier change', '{count} earlier changes')}
          </button>
        )}
      </div>
      <IconButton
        icon={unread.length > 0 ? 'check' : 'dot'}
        label={unread.length > 0 ? t('Mark {name} as read', { name }) : t('Mark {name} as unread', { name })}
        run={() => onMark(unread.length > 0)}
      />
    </li>
  )
}

interface InboxLinkProps extends Pick<InboxRowProps, 'group' | 'isOpened' | 'onOpen' | 'onMark'> {
  readonly isUnread: boolean
}

/** The name of the assignment. Enter opens it, F2 its name, E marks it as read, U as unread. */
const InboxLink = ({ group, isOpened, isUnread, onOpen, onMark }: InboxLinkProps) => (
  <a
    class="inbox-link"
    dir="auto"
    href={assignmentPath(group.projectId, group.assignmentId)}
    aria-keyshortcuts={Object.keys(isReadByKey).join(' ').toUpperCase()}
    aria-current={isOpened ? 'true' : undefined}
    onClick={(event) => {
      if (isUnread) onMark(true)
      if (onOpen === undefined || hasModifier(event)) return
      event.preventDefault()
      onOpen(group)
    }}
    onKeyDown={(event) => {
      const isRead = isReadByKey[event.key.toLowerCase()]
      if ((isRead === undefined && event.key !== 'F2') || hasModifier(event)) return
      event.preventDefault()
      if (isRead === undefined) {
        event.currentTarget.click()
        return focusInPanel(group.assignmentId)
      }
      onMark(isRead)
    }}
  >
    {group.name}
  </a>
)

interface KeyOfProjectProps {
  readonly project: RecordOf<'project'> | undefined
  readonly assignmentKey: string | undefined
}

/** The key of an assignment after the color of its project, whose name is a tooltip. */
const KeyOfProject = ({ project, assignmentKey }: KeyOfProjectProps) =>
  project && (
    <span class="quiet-text inbox-key" title={project.name}>
      <ProjectMark project={project} />
      <span class="visually-hidden" dir="auto">
        {project.name}
      </span>
      <span>{assignmentKey}</span>
    </span>
  )

const relativeMinutes = 60

/** Shows the minutes since the timestamp in the first hour, and then its time, because its day is above. */
function Time({ at }: { readonly at: string }) {
  const minutes = Math.max(1, Math.floor((Date.now() - Date.parse(at)) / 60_000))
  return (
    <time class="quiet-text" dateTime={at} title={formatTimestamp(at)}>
      {minutes < relativeMinutes ? t('{count} min', { count: minutes }) : formatTime(at)}
    </time>
  )
}

/** Replaces the face of a person, because no person has caused a notification about a date. */
const SystemAvatar = () => (
  <span class="avatar" data-color="gray" aria-hidden="true">
    <Icon name="calendar" />
  </span>
)

interface InboxLineProps extends Pick<InboxRowProps, 'details' | 'actorOf'> {
  readonly notification: Notification
  /** Shown at the end of the line. */
  readonly children: ComponentChildren
}

function InboxLine({ notification, details, actorOf, children }: InboxLineProps) {
  const { kind, actorId, assignmentId, readAt, commentId, workflowId } = notification
  const { text, icon, color } = notificationLooks[kind]
  return (
    <li class={readAt === null ? 'unread' : ''} data-color={color}>
      <Icon name={icon} />
      <span class="inbox-text">
        {text === undefined
          ? endTextOf(kind, details.endOf(assignmentId))
          : tx(text, {
              name: <bdi class="inbox-name">{actorOf(actorId)}</bdi>,
              stage: <bdi>{details.stageOf(workflowId)}</bdi>,
            })}{' '}
      </span>
      {commentId !== null && (
        <span class="quiet-text inbox-quote" dir="auto">
          {details.firstLineOf(commentId)}
        </span>
      )}
      {children}
    </li>
  )
}

const quoteCharactersMax = 120

/** Loads the names to which notifications refer, and the comments that they quote. */
function useDetails(notifications: readonly Notification[]) {
  const { api, people } = useServices()
  const assignmentIds = notifications.map(({ assignmentId }) => assignmentId)
  const projectIds = notifications.map(({ projectId }) => projectId)
  const commentIds = notifications.flatMap(({ commentId }) => commentId ?? [])
  const stageIds = notifications.flatMap(({ workflowId }) => workflowId ?? [])
  const key = [assignmentIds, projectIds, commentIds, stageIds]
    .map((ids) => [...new Set(ids)].sort().join())
    .join(';')
  const { value } = useLoaded(`inbox-details-${key}`, ['assignment', 'comment'], async (signal) => {
    const [assignments, projects, comments, stages] = await Promise.all([
      loadByIds(api, 'assignment', assignmentIds, signal),
      loadByIds(api, 'project', projectIds, signal),
      loadByIds(api, 'comment', commentIds, signal),
      loadByIds(api, 'workflow', stageIds, signal),
    ])
    return { assignments, projects, comments, stages }
  })
  return {
    keyOf: (id: string) => {
      const assignment = value?.assignments.get(id)
      return assignment && assignmentKey(value?.projects.get(assignment.projectId)?.key, assignment)
    },
    endOf: (id: string) => {
      const assignment = value?.assignments.get(id)
      return assignment && !assignment.isUnscheduled ? dayOf(assignment.endDate) : undefined
    },
    stageOf: (id: string | null) => value?.stages.get(id ?? '')?.name ?? t('another stage'),
    projectOf: (id: string) => value?.projects.get(id),
    firstLineOf: (id: string) => {
      const line =
        plainText(value?.comments.get(id)?.text ?? '')
          .trim()
          .split('\n', 1)[0] ?? ''
      return shorten(showMentions(line, mentionedIn(line, people.nameOf)), quoteCharactersMax)
    },
  }
}

type Details = ReturnType<typeof useDetails>

/** Renders the screen every minute, because the rows say how many minutes ago something happened. */
function useRenderEveryMinute() {
  const [, setNow] = useState(0)
  useInterval(60_000, () => setNow(Date.now()))
}

/** Returns whether the browser handles a key or a click, for example because a new tab is wanted. */
const hasModifier = ({ ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent | MouseEvent): boolean =>
  ctrlKey || metaKey || altKey || shiftKey

/** Maps a key to true if it marks as read, and to false if it marks as unread. */
const isReadByKey: Readonly<Record<string, boolean>> = { e: true, u: false }

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }

/** Moves the focus between rows by keys, and to the next row when the focused row leaves the list. */
function useFocusInList(groups: readonly NotificationGroup[]) {
  const element = useRef<HTMLOListElement>(null)
  const place = useRef<number | undefined>(undefined)
  const links = () => [...(element.current?.querySelectorAll<HTMLElement>('.inbox-link') ?? [])]
  const currentIndex = () =>
    links().findIndex((link) => link.closest('.row')?.contains(document.activeElement))
  useEffect(() => {
    // The browser moves the focus to the body when the focused row is removed.
    if (place.current === undefined || document.activeElement !== document.body) return
    links()[Math.min(place.current, links().length - 1)]?.focus()
    place.current = undefined
  }, [groups])
  return {
    element,
    keepPlace: () => {
      place.current = currentIndex()
    },
    onKeyDown: (event: KeyboardEvent) => {
      const step = hasModifier(event) ? undefined : steps[event.key]
      if (step === undefined) return
      event.preventDefault()
      links()[Math.max(0, currentIndex() + step)]?.focus()
    },
  }
}
