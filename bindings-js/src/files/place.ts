import { type Stats, accessSync, constants, readFileSync, realpathSync, statSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { LeafidError } from '../values/errors.js'
import { quoted } from '../values/shown.js'

/** Network file systems by Linux's magic numbers: their locks cannot be trusted. */
const NETWORK = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x01021997, '9P'],
  [0x5346414f, 'AFS'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
  [0x01161970, 'GFS2'],
  [0x7461636f, 'OCFS2'],
])

function look(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false })
}

/** The path with links resolved; unchanged if nothing is there. */
export function real(path: string): string {
  return look(path) === undefined ? path : realpathSync(path)
}

/** Whether the file has content. Refuses a log without its file, and places where a grant would not be safe. */
export function isThere(path: string): boolean {
  let found = look(path)
  const hasLog = (look(`${path}-wal`)?.size ?? 0) > 0
  // Another process may have created the file and its log since the first look.
  if (isBlank(found) && hasLog) found = look(path)
  if (isBlank(found) && hasLog) {
    const log = quoted(`${path}-wal`)
    throw refused(`${quoted(path)} is gone, but its log ${log} is there, and holds what was granted last; put that very file back beside it`)
  }
  if (found !== undefined && found.isFile() && found.nlink > 1) {
    const names = `${quoted(path)} has ${found.nlink} names (hard links), and a program that opens it by another would grant the same numbers again`
    throw refused(`${names}; remove all names but the one that it is opened by`)
  }
  if (found !== undefined && found.isFile() && isMountPoint(path, found)) {
    const what = `${quoted(path)} is mounted by itself, and a program that opens it at its other place would grant the same numbers again`
    throw refused(`${what}; mount the folder that it lies in, not the file`)
  }
  if (process.platform === 'linux' && look(dirname(path)) !== undefined) {
    const network = NETWORK.get(Number(statfsSync(dirname(path)).type) >>> 0)
    if (network !== undefined) {
      throw refused(`${quoted(path)} lies on a network file system (${network}), where locks cannot be trusted; move it to a local disk`)
    }
  }
  return !isBlank(found)
}

/** Throws `STORE_UNKNOWN` where no file can be, `FORBIDDEN` for one that this user may not write. */
export function checkPlace(path: string): void {
  const folder = dirname(path)
  if (look(folder) === undefined) {
    const message = `the folder ${quoted(folder)} does not exist; if the path is right, make it first: mkdir -p ${folder}`
    throw new LeafidError('STORE_UNKNOWN', message)
  }
  const found = look(path)
  if (found?.isDirectory() === true) {
    throw new LeafidError('STORE_UNKNOWN', `sqlite:${path} is a folder; name a file in it: sqlite:${path}/leafid.db`)
  }
  if (found !== undefined) checkWritable(path, path)
}

/** Throws `FORBIDDEN` where this user may not read and write what the file at `path` needs. */
export function checkWritable(path: string, needed: string): void {
  try {
    accessSync(needed, constants.R_OK | constants.W_OK)
  } catch (cause) {
    if (!/^(EACCES|EPERM|EROFS)$/.test(String((cause as { code?: unknown }).code))) return
    const message = `this user cannot write ${quoted(path)}; allow writing to the file and its folder`
    throw new LeafidError('FORBIDDEN', message, { cause })
  }
}

export function isEmpty(path: string): boolean {
  return look(path)?.size === 0
}

function isBlank(found: Stats | undefined): boolean {
  return found === undefined || (found.isFile() && found.size === 0)
}

/** Whether the file itself is a mount point: SQLite keeps a log beside each path, so there would be two logs. */
function isMountPoint(path: string, { dev }: Stats): boolean {
  let mounts: string
  try {
    mounts = readFileSync('/proc/self/mountinfo', 'latin1')
  } catch {
    // Without the list, another device number is the sign. With it, not: an overlay may give each file its layer's
    // device. Windows has no mounted files.
    return process.platform !== 'win32' && look(dirname(path))?.dev !== dev
  }
  return isMounted(mounts, path)
}

/** Whether the list contains the path: the fifth word of a line, blanks and backslashes as three octal digits. */
export function isMounted(mounts: string, path: string): boolean {
  const bytes = Buffer.from(path).toString('latin1')
  const written = bytes.replace(/[ \t\n\\]/g, (letter) => `\\${letter.charCodeAt(0).toString(8).padStart(3, '0')}`)
  return mounts.split('\n').some((line) => line.split(' ')[4] === written)
}

function refused(message: string): LeafidError {
  return new LeafidError('STORE_REFUSED', message)
}

/**
 * Checks of an open file and its log: `STORE_REFUSED` once one of them is deleted or replaced, as another process may
 * have granted from the new file ranges that this one grants again.
 */
export function watched(path: string): () => void {
  const files = [path, `${path}-wal`].map((file) => [file, identity(file)] as const)
  let gone: LeafidError | undefined
  return () => {
    const [changed] = files.find(([file, was]) => identity(file) !== was) ?? []
    if (changed !== undefined) gone ??= refused(`${quoted(changed)} is not the file any more that was opened, so nothing is granted from \`sqlite:${path}\` until a restart: find out who moved or removed it`)
    if (gone !== undefined) throw gone
  }
}

function identity(file: string): string {
  const found = look(file)
  return found === undefined ? 'nothing' : `${found.dev}/${found.ino}`
}
