"""How is something installed and used on a system that is thrown away afterwards?

    with Root(folders) as root:
        root.run("dpkg", "--install", package).ok()
        root.run("sh", "-c", "pvm < commands").ok()
        root.files()

A Root looks like this system and is nobody else's: it has the programs and libraries of this one and copies of its
database of packages and the few files in /etc that these need, and whatever is written there is in memory. Who runs
in it is root. It has a network of its own, in which it is 10.0.0.1 and nobody is "far". Processes in it end with it.

Root needs nothing else; for anybody else it is in a user namespace, in which he is root. He may not change the
system's folders even so: those in which something is to be installed are given to the Root as `folders`.
"""
import os
import subprocess

from support.task import LIMIT, Ended, Task

ADVICE = ("the tests need a root folder of their own: run them as root with the right to mount file systems, or let "
          "ordinary users make user namespaces (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, "
          "kernel.apparmor_restrict_unprivileged_userns=0)")
# Prepares the root folder in new namespaces, says that it is there, and holds it until its input ends.
HOLDER = r"""
set -e
umask 022
root=$1 options=$2 shown=$3
shift 3
mount --make-rprivate /
mount -t tmpfs -o mode=755 tmpfs "$root"
cd "$root"
mkdir -p .upper .work etc proc dev root home/user run var/lib var/log var/cache var/tmp tmp
for folder in usr bin sbin lib lib32 lib64 libx32; do
  if [ -L /$folder ]; then
    cp -P /$folder $folder
  elif [ -d /$folder ]; then
    mkdir -p $folder .upper/$folder .work/$folder
    for path; do
      case $path in $folder | $folder/*) mkdir -p ".upper/$path" ;; esac
    done
    mount -t overlay -o "$options"lowerdir=/$folder,upperdir=.upper/$folder,workdir=.work/$folder overlay $folder
  fi
done
if [ -n "$shown" ]; then
  mkdir -p ".$shown" .upper/.shown .work/.shown
  mount -t overlay -o "$options"lowerdir="$shown",upperdir=.upper/.shown,workdir=.work/.shown overlay ".$shown"
fi
for path in passwd group nsswitch.conf host.conf ld.so.conf ld.so.conf.d ld.so.cache alternatives; do
  [ ! -e /etc/$path ] || cp -R --preserve=mode,links /etc/$path etc/
done
cp -R --preserve=mode,links /var/lib/dpkg var/lib/ 2>/dev/null || [ -s var/lib/dpkg/status ]  # locks are root's alone
rm -f var/lib/dpkg/lock* var/lib/dpkg/triggers/Lock
: > var/lib/dpkg/triggers/File  # what others do when there are new files in some folder takes long
printf '%s\n' '127.0.0.1 localhost' "10.0.0.1 $(uname -n)" '10.0.0.2 far' > etc/hosts
ip link set lo up
ip address add 10.0.0.1/24 dev lo
mount -t proc proc proc
mount --rbind /dev dev
echo ready
cat
"""


class Root:
    def __init__(self, folders, place, shown=""):
        """folders: paths, without the first slash, of those in which something is to be installed; place: an empty
        folder, which stays empty to all but those who are in the Root; shown: the path of another folder that is there,
        too, and may be changed there."""
        user = os.geteuid() != 0
        own = ["--user", "--map-root-user"] if user else []
        self.place = place
        self.holder = Task(["unshare", *own, "--mount", "--net", "--pid", "--fork", "--kill-child", "sh", "-c", HOLDER, "sh", place,
                            "userxattr," if user else "", shown, *sorted(folders)], dict(os.environ), keep_input=True,
                           merge=True, own_session=True)
        line = self.holder.line()
        if line != "ready":
            self.holder.discard()
            raise AssertionError(f"{ADVICE}: {line}")
        self.pid = self._inside()
        self.user = ["--user", "--preserve-credentials"] if user else []

    def _inside(self):
        """The process that holds the namespaces: the child of unshare."""
        pid = self.holder.pid
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return int(file.read().split()[0])

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.holder.ended()

    def run(self, *command, input="", variables=None, limit=LIMIT):
        """Run a command in the Root, with little in its environment, to its end."""
        enter = ["nsenter", "--target", self.pid, "--mount", "--net", "--pid", *self.user, "chroot", self.place, "sh", "-c",
                 'cd ~ && exec "$@"', "sh"]
        environment = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": "/home/user", "LC_ALL": "C.UTF-8",
                       "DEBIAN_FRONTEND": "noninteractive", "PVM_ALLOW_ROOT": "1", **(variables or {})}
        done = subprocess.run(list(map(str, [*enter, *command])), env=environment, capture_output=True, timeout=limit,
                              input=input if isinstance(input, bytes) else input.encode())
        return Ended(list(map(str, command)), done.returncode, done.stdout.decode(errors="replace"),
                     done.stderr.decode(errors="replace"))

    def write(self, path, content):
        """Make a file in the Root, with its folder."""
        self.run("sh", "-c", 'mkdir -p "$(dirname "$1")" && cat > "$1"', "sh", path, input=content).ok()

    def files(self):
        """What was written there, links and all, but folders and what the system keeps for itself."""
        found = self.run("find", "/", "-xdev", "!", "-type", "d").ok().out.split("\n")
        written = {path.removeprefix("/.upper") for path in found if path}
        return {path for path in written if not path.startswith(("/.work/", "/var/lib/dpkg/", "/var/cache/", "/var/log/"))
                and path != "/etc/ld.so.cache"}
