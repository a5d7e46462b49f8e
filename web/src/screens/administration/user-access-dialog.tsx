import { useState } from 'preact/hooks'
import type { Tracker } from '#tracker-client'
import {
  type AccountOverview,
  createFactors,
  createIdentityAdministration,
  type Factors,
  StaleSignInError,
} from '../../api/identity.ts'
import { sentenceOf } from '../../api/problems.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { linkAddress } from '../../router/router.ts'
import { useServices, useSignIn } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { Secret } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { LoadProblem, Skeleton } from '../../ui/page-states.tsx'
import type { CatalogRow } from './catalogs.tsx'

interface UserAccessDialogProps {
  readonly row: CatalogRow
  /** Called after a change of the account. */
  onChanged(): void
  onClose(): void
}

/** Manages the role, the sessions and the credentials of an account. */
export function UserAccessDialog({ row, onChanged, onClose }: UserAccessDialogProps) {
  const { configuration, session, tracker } = useServices()
  const factors = createFactors(configuration, session)
  const administration = createIdentityAdministration(configuration, session)
  const { id, name } = row
  const {
    value: account,
    problem,
    reload,
  } = useLoaded(`access ${id}`, [], async () => (await administration.listAccounts([id]))[0])
  const { isBusy, runAction } = useActionRunner(() => {
    reload()
    onChanged()
  })
  const [link, setLink] = useState<string>()
  const createLink = async () => {
    const created = await tracker.call('POST /ext/password-links', { body: { userId: id } })
    setLink(linkAddress('/new-password', created))
  }
  const mailLink = () => tracker.call('POST /ext/password-links/mail', { body: { userId: id } })
  const links = { createLink, mailLink: configuration.mail ? mailLink : undefined }
  const isSelf = id === session.person.value?.id
  return (
    <Dialog title={t('Access for {name}', { name })} onClose={onClose}>
      {problem && <LoadProblem problem={problem} onRetry={reload} />}
      {account === undefined && !problem && <Skeleton as="rows" rows={3} cells="lines button" />}
      {isSelf && <p class="form-note">{t('Only another administrator can change your access.')}</p>}
      {link !== undefined && (
        <>
          <p class="form-note">
            {t('Give this link to {name}. It works once, within an hour, and is only shown once.', { name })}
          </p>
          <Secret label={t('Link')} text={link} onDone={() => setLink(undefined)} />
        </>
      )}
      {account && !isSelf && (
        <ul class="rows" hidden={link !== undefined}>
          {[
            ...accessActionsOf(row, account, { tracker, factors }),
            ...passwordActionsOf(row, account, links),
          ].map((action) => (
            <li key={action.title} class="row">
              <span class="row-text">
                {action.title}
                <span class="quiet-text line">{action.description}</span>
              </span>
              <button
                type="button"
                class="button"
                aria-disabled={isBusy}
                onClick={() => void runAction(action)}
              >
                {action.buttonLabel}
              </button>
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  )
}

/** Runs one action at a time, and reports its result. */
function useActionRunner(onDone: () => void) {
  const { router, toasts } = useServices()
  const startSignIn = useSignIn()
  const [isBusy, setBusy] = useState(false)
  const runAction = async ({ run, undo, doneText }: AccessAction) => {
    if (isBusy) return
    setBusy(true)
    try {
      await run()
      toasts.show({ kind: 'done', text: doneText, undo: undo && (() => undo().then(onDone)) })
      onDone()
    } catch (error) {
      if (error instanceof StaleSignInError) {
        const { pathname, search } = router.address.peek()
        return startSignIn(pathname + search, { forcePrompt: true })
      }
      toasts.show({ kind: 'problem', text: sentenceOf(error) })
    } finally {
      setBusy(false)
    }
  }
  return { isBusy, runAction }
}

interface AccessAction {
  readonly title: string
  readonly description: string
  readonly buttonLabel: string
  /** The message after success. */
  readonly doneText: string
  run(): Promise<unknown>
  readonly undo?: () => Promise<unknown>
}

interface PasswordLinks {
  createLink(): Promise<unknown>
  /** Undefined if the server cannot send mail. */
  readonly mailLink: (() => Promise<unknown>) | undefined
}

/** A deactivated account gets no password links, because it cannot sign in. */
function passwordActionsOf(
  { name }: CatalogRow,
  { isDeactivated }: AccountOverview,
  { createLink, mailLink }: PasswordLinks,
): readonly AccessAction[] {
  if (isDeactivated) return []
  const createAction: AccessAction = {
    title: t('Password'),
    description: t('Creates a link with which a user who forgot the password can choose a new one.'),
    buttonLabel: t('Create link'),
    doneText: t('The link for {name} was created.', { name }),
    run: createLink,
  }
  if (mailLink === undefined) return [createAction]
  const mailAction: AccessAction = {
    title: t('Password by mail'),
    description: t('Sends such a link to the user’s login, which must be an email address.'),
    buttonLabel: t('Send link'),
    doneText: t('The link is being sent to {name}.', { name }),
    run: mailLink,
  }
  return [createAction, mailAction]
}

/** Undoing a deactivation restores no sessions, so the user has to sign in again. */
function deactivationOf(
  { id, name }: CatalogRow,
  { isDeactivated }: AccountOverview,
  tracker: Tracker,
): AccessAction {
  const body = { userId: id }
  const deactivate = () => tracker.call('POST /ext/deactivations', { body })
  const reactivate = () => tracker.call('DELETE /ext/deactivations', { body })
  return {
    title: isDeactivated ? t('Deactivated') : t('May sign in'),
    description: t('Deactivating ends all sessions and prevents new ones. Names, projects and history stay.'),
    buttonLabel: isDeactivated ? t('Reactivate') : t('Deactivate'),
    doneText: isDeactivated
      ? t('{name} may sign in again.', { name })
      : t('{name} was deactivated.', { name }),
    run: isDeactivated ? reactivate : deactivate,
    undo: isDeactivated ? deactivate : reactivate,
  }
}

const accessActionsOf = (
  row: CatalogRow,
  account: AccountOverview,
  { tracker, factors }: { readonly tracker: Tracker; readonly factors: Factors },
): readonly AccessAction[] => [
  {
    title: account.hasRole ? t('Administrator') : t('No administrator role'),
    description: t(
      'Administrators see and change everything. Accounts named in the server’s settings always have the role.',
    ),
    buttonLabel: account.hasRole ? t('Revoke role') : t('Make administrator'),
    doneText: account.hasRole
      ? t('{name} is no longer an administrator.', { name: row.name })
      : t('{name} becomes an administrator at the next sign-in.', { name: row.name }),
    run: () =>
      tracker.call(`${account.hasRole ? 'DELETE' : 'POST'} /ext/administrators`, {
        body: { userId: row.id },
      }),
  },
  deactivationOf(row, account, tracker),
  {
    title: t('Sessions and tokens'),
    description: t(
      'Ends all of them. Use this if a device was lost, or if another person knows the password.',
    ),
    buttonLabel: t('End all'),
    doneText: t('All sessions and tokens of {name} were ended.', { name: row.name }),
    run: () => tracker.call('POST /ext/sessions/end-all', { body: { userId: row.id } }),
  },
  ...(account.hasFactor
    ? [
        {
          title: t('Second factor'),
          description: t(
            'Use this if the user has lost the app, passkeys and recovery codes. Afterwards, the password alone is enough to sign in.',
          ),
          buttonLabel: t('Reset'),
          doneText: t('The second factor of {name} was reset.', { name: row.name }),
          run: () => factors.resetFactors(row.id),
        },
      ]
    : []),
]
