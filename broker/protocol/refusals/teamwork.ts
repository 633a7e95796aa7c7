/** Refusals about the team, its conversations, its objectives, and its files. */
import type { Refusal } from './refusal.ts';

export const teamworkRefusals = {
  // Members, tokens, and the team
  already_set_up: {
    code: 'conflict',
    sentence: 'this broker is already set up, and its configuration was not changed',
  },
  unknown_member: { code: 'not_found', sentence: 'there is no member named "{name}"' },
  name_taken: {
    code: 'conflict',
    sentence: 'the name "{name}" is taken by "{holder}"',
    remedy: 'choose another name',
  },
  name_retired: {
    code: 'conflict',
    sentence: 'the name "{name}" belonged to a removed member and cannot be used again',
    remedy: 'choose another name',
  },
  unknown_permission: { code: 'bad_request', sentence: 'neither a preset nor a permission: {entries}' },
  last_manager: {
    code: 'bad_request',
    sentence: 'no member would hold members.manage anymore',
    remedy: 'give it to another member first',
  },
  unknown_token: { code: 'not_found', sentence: '"{name}" has no token with this id' },
  preset_named_like_permission: {
    code: 'bad_request',
    sentence: 'a preset must not have the name of a permission: "{name}"',
  },
  preset_holds_unknown: {
    code: 'bad_request',
    sentence: 'the preset "{preset}" may hold only permissions, not "{entry}"',
  },
  preset_in_use: {
    code: 'conflict',
    sentence: 'these presets are still in use: {presets}, by {members}',
    remedy: 'change the permissions of these members first',
  },

  // Conversations and messages
  unknown_conversation: { code: 'not_found', sentence: 'there is no such conversation' },
  not_in_conversation: { code: 'forbidden', sentence: 'you are not in this conversation' },
  event_is_reserved: {
    code: 'bad_request',
    sentence: 'only the broker writes data.event',
    remedy: 'leave it out',
  },
  thread_and_recipient: {
    code: 'bad_request',
    sentence: 'a message has either "to" or data.thread, not both',
  },
  invalid_thread: {
    code: 'bad_request',
    sentence: 'data.thread must be "{form}"',
    remedy: 'post to an objective’s thread with /objectives/<id>/discuss',
  },
  data_too_large: { code: 'bad_request', sentence: 'data must be at most {max} bytes of JSON' },
  unknown_message: { code: 'not_found', sentence: 'there is no such message' },
  message_not_yours: {
    code: 'forbidden',
    sentence: 'only its sender may change a message',
    remedy: 'reply to it instead',
  },
  changed_by_person: {
    code: 'forbidden',
    sentence: 'only a person may change a message, not a run of an agent',
    remedy: 'send a correction as a reply',
  },
  too_late_to_change: {
    code: 'conflict',
    sentence: 'a message can be changed for one hour only',
    remedy: 'send a correction as a reply',
  },
  message_is_record: {
    code: 'conflict',
    sentence: 'this message is part of a record that nobody changes: {why}',
    remedy: 'send a correction as a reply',
  },
  message_is_deleted: { code: 'conflict', sentence: 'this message was deleted' },
  receipts_not_yours: {
    code: 'forbidden',
    sentence: 'only the sender of a message and managers may see its receipts',
  },
  not_a_recipient: { code: 'forbidden', sentence: 'this message is not addressed to you' },
  message_of_another_scope: {
    code: 'bad_request',
    sentence: 'body.upTo: this message is in {scope}',
  },
  time_in_the_future: {
    code: 'bad_request',
    sentence: 'body.at: must not be in the future',
    remedy: 'send epoch milliseconds',
  },
  search_without_words: {
    code: 'bad_request',
    sentence: 'query.q: must have at least one letter or digit',
  },
  search_with_too_many_words: {
    code: 'bad_request',
    sentence: 'query.q: must have at most {max} words and phrases',
  },

  // Channels
  unknown_channel: { code: 'not_found', sentence: 'there is no such channel' },
  unknown_channel_slug: { code: 'not_found', sentence: 'there is no channel #{slug}' },
  not_in_channel: {
    code: 'forbidden',
    sentence: 'you are not a member of this channel',
    remedy: 'join it first',
  },
  member_not_in_channel: { code: 'not_found', sentence: '"{name}" is not in #{slug}' },
  channel_archived: { code: 'gone', sentence: '#{slug} is archived and cannot be {act} anymore' },
  general_is_fixed: {
    code: 'conflict',
    sentence: '#general always exists for everybody and cannot be {act}',
  },
  channel_slug_taken: {
    code: 'conflict',
    sentence: 'this slug is taken, possibly by an archived channel',
    remedy: 'choose another slug',
  },
  too_many_channels: {
    code: 'conflict',
    sentence: 'you have created {max} channels, which is the limit; archived ones count',
    remedy: 'ask a member with members.manage to create this one',
  },
  channel_admins_only: {
    code: 'forbidden',
    sentence: 'only the channel’s admins and members with members.manage may do this',
  },
  channel_others_by_admins: {
    code: 'forbidden',
    sentence:
      'only the channel’s admins and members with members.manage may add and remove others; you may join and leave',
  },
  channel_admin_by_admins: {
    code: 'forbidden',
    sentence: 'only the channel’s admins and members with members.manage may give the role admin',
    remedy: 'join without it',
  },
  last_channel_admin: {
    code: 'conflict',
    sentence: '"{name}" is the only admin of #{slug}',
    remedy: 'make another member an admin first',
  },

  // Objectives
  unknown_objective: { code: 'not_found', sentence: 'there is no such objective' },
  unknown_objective_before: {
    code: 'bad_request',
    sentence: 'query.before: there is no objective with this id',
  },
  not_in_thread: {
    code: 'forbidden',
    sentence: 'the thread is for the objective’s originator, assignee, and watchers, and for managers',
  },
  objective_done: { code: 'gone', sentence: 'the objective is done', remedy: 'create a new one instead' },
  objective_ended: { code: 'conflict', sentence: 'the objective is {status} and cannot change anymore' },
  objective_change_empty: {
    code: 'bad_request',
    sentence: 'the request changes nothing',
    remedy: 'pass status, blockReason, or both',
  },
  block_reason_missing: { code: 'bad_request', sentence: 'blocking needs a blockReason' },
  objective_not_blocked: {
    code: 'bad_request',
    sentence: 'the objective is not blocked',
    remedy: 'pass status "blocked" with the blockReason',
  },
  already_assigned: {
    code: 'bad_request',
    sentence: 'the objective is already assigned to "{name}"',
  },
  watcher_in_both_lists: {
    code: 'bad_request',
    sentence: 'the request both adds and removes "{name}"',
    remedy: 'name the member once',
  },
  unknown_participant: {
    code: 'bad_request',
    sentence: 'the {role} must be a member, and there is none named {names}',
  },

  // Files
  files_off: {
    code: 'unavailable',
    sentence: 'this broker keeps no files, because its configuration has no files block',
    remedy: 'add a files block to the configuration, and restart the broker',
  },
  files_of_another_store: {
    code: 'unavailable',
    sentence: 'files are off, because "{root}" holds the files of another store',
    remedy: 'start the broker with that store, or name another folder in files.root of the configuration',
  },
  files_not_shared: {
    code: 'unavailable',
    sentence: 'files are off, because "{root}" is not the folder that the machines of this team share',
    remedy:
      'mount that folder there, or if the files were moved, copy all of the old folder, hidden files included',
  },
  files_root_unusable: {
    code: 'unavailable',
    sentence:
      'files are off, because files.root "{root}" cannot be used ({cause}); the broker’s log has the details',
  },
  file_not_written: {
    code: 'unavailable',
    sentence:
      'the storage is full or broken ({cause}), and nothing was written; the broker’s log has the details',
  },
  content_unreadable: {
    code: 'unavailable',
    sentence: 'the content of this file cannot be read ({cause}); the broker’s log has the details',
  },
  content_missing: {
    code: 'unavailable',
    sentence: 'the content of this file is missing; the broker’s log has the details',
  },
  file_too_large: {
    code: 'payload_too_large',
    sentence: 'the file is larger than the {max} bytes that this broker accepts',
  },
  invalid_mime_type: {
    code: 'bad_request',
    sentence: 'the content type is not a MIME type',
    remedy: 'pass mime',
  },
  attachment_not_found: { code: 'not_found', sentence: 'attachment not found: {path}' },
  attachment_is_directory: { code: 'bad_request', sentence: 'attachment is a directory: {path}' },
  attachment_unreadable: { code: 'forbidden', sentence: 'you may not read one of the attachments' },
  not_your_home: {
    code: 'forbidden',
    sentence: 'you may change files only in your own home, unless you hold members.manage',
  },
  path_not_shared: {
    code: 'forbidden',
    sentence: 'this path is neither in your home nor shared with you',
  },
  nothing_at_path: { code: 'not_found', sentence: 'there is nothing at "{path}"' },
  path_outside_homes: {
    code: 'bad_request',
    sentence: 'the path must be inside a home: /<member>/<name>',
  },
  unknown_home: { code: 'not_found', sentence: 'there is no home "{home}"' },
  is_a_file: { code: 'conflict', sentence: '"{path}" is a file, not a directory' },
  is_a_directory: { code: 'conflict', sentence: '"{path}" is a directory' },
  needs_a_file: { code: 'bad_request', sentence: '"{path}" is a directory, and only files can be {act}' },
  needs_a_directory: { code: 'bad_request', sentence: '"{path}" is a file, and ls takes a directory' },
  name_collision: {
    code: 'conflict',
    sentence: '"{path}" already exists',
    remedy: 'pass collide=overwrite or collide=suffix, or choose another name',
  },
  path_exists: { code: 'conflict', sentence: '"{path}" already exists' },
  no_free_name: {
    code: 'conflict',
    sentence: 'every shorter name like "{path}" is taken',
    remedy: 'choose another name',
  },
  parent_missing: {
    code: 'not_found',
    sentence: 'there is no directory "{directory}"',
    remedy: 'create it first, for example with mkdir and recursive=true',
  },
  home_is_permanent: {
    code: 'forbidden',
    sentence: 'homes and / cannot be removed',
    remedy: 'remove what is in it instead',
  },
  directory_not_empty: {
    code: 'conflict',
    sentence: '"{path}" is not empty',
    remedy: 'pass recursive=true to remove all of it',
  },
} as const satisfies Record<string, Refusal>;
