import { lstatSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";

/** What the `.git` in a folder makes of that folder. Git itself is not asked: it may be missing. */
export type GitTree =
  /** No work tree of its own: there is no `.git`, or it is that of a submodule. */
  | { readonly kind: "none" }
  | { readonly kind: "main" }
  /** A work tree that was added to a repository, beside its main one. */
  | { readonly kind: "linked"; readonly top: string; readonly main: string }
  /** A work tree that was added to a repository which has no main one. */
  | { readonly kind: "of-bare"; readonly top: string }
  | { readonly kind: "lost"; readonly top: string; readonly reason: string };

const NONE: GitTree = { kind: "none" };

/** The work tree whose top is `folder`. */
export function gitTreeAt(folder: string): GitTree {
  const git = join(folder, ".git");
  const stat = lstatSync(git, { throwIfNoEntry: false });
  if (stat === undefined) {
    return NONE;
  }
  if (!stat.isFile()) {
    return { kind: "main" };
  }
  const target = /^gitdir:\s*(.+?)\s*$/s.exec(readFileSync(git, "utf8"))?.[1];
  if (target === undefined) {
    return NONE;
  }
  const gitFolder = resolve(folder, target);
  const isLinked = exists(join(gitFolder, "commondir")) || /[/\\]worktrees$/.test(dirname(gitFolder));
  return isLinked && basename(dirname(dirname(gitFolder))) !== "modules" ? linked(folder, gitFolder) : NONE;
}

/** The innermost work tree that `folder` is part of. */
export function gitTreeAround(folder: string): GitTree {
  for (let at = folder; ; at = dirname(at)) {
    const tree = gitTreeAt(at);
    if (tree.kind !== "none" || dirname(at) === at) {
      return tree;
    }
  }
}

/** The folder of the main tree that stands where `folder` does in the linked one. */
export function counterpart(tree: { top: string; main: string }, folder: string): string {
  return join(tree.main, relative(tree.top, folder));
}

function linked(top: string, gitFolder: string): GitTree {
  let common: string;
  try {
    common = readFileSync(join(gitFolder, "commondir"), "utf8").trim();
  } catch {
    return { kind: "lost", top, reason: `there is no ${gitFolder}` };
  }
  const repository = resolve(gitFolder, common);
  const config = coreConfig(repository);
  if (config.bare) {
    return { kind: "of-bare", top };
  }
  if (config.worktree === undefined && basename(repository) !== ".git") {
    return { kind: "lost", top, reason: `${repository} lies outside its work tree` };
  }
  const main = config.worktree === undefined ? dirname(repository) : resolve(repository, config.worktree);
  try {
    return { kind: "linked", top, main: realpathSync(main) };
  } catch {
    return { kind: "lost", top, reason: `there is no ${main}` };
  }
}

/** What git's own configuration says of the main tree: the section `[core]` of both of its files. */
function coreConfig(repository: string): { bare: boolean; worktree?: string } {
  const found: { bare: boolean; worktree?: string } = { bare: false };
  for (const name of ["config", "config.worktree"]) {
    const file = join(repository, name);
    let inCore = false;
    for (const line of exists(file) ? readFileSync(file, "utf8").split("\n") : []) {
      const section = /^\s*\[([^\]]*)\]/.exec(line);
      inCore = section === null ? inCore : section[1].toLowerCase() === "core";
      const [, key, value] = /^\s*(\w+)\s*(?:=\s*(.*?))?\s*$/.exec(line) ?? [];
      if (inCore && key?.toLowerCase() === "bare") {
        found.bare = /^(?:true|yes|on|1)$/i.test(value ?? "true");
      } else if (inCore && key?.toLowerCase() === "worktree" && value !== undefined) {
        found.worktree = value.replace(/^"(.*)"$/, "$1").replace(/\\(["\\])/g, "$1");
      }
    }
  }
  return found;
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
