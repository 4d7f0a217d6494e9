# Bare machines: minimal roots made with debootstrap, of the packages that apt of this machine uses. To be sourced.
# shellcheck shell=bash

skip() { echo "skipped: $*"; exit 77; }

# The mirror from which apt of this machine takes a suite: that very suite, or another one of the same distribution.
# COSLICE_MIRROR names another one.
mirror_of() {  # suite
  local origin=Debian
  case $1 in noble) origin=Ubuntu ;; esac
  if [ -n "${COSLICE_MIRROR-}" ]; then
    echo "$COSLICE_MIRROR"
    return
  fi
  # shellcheck disable=SC2016  # apt expands them
  apt-get indextargets --format '$(ORIGIN) $(RELEASE) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
    awk -v origin=$origin -v suite="$1" '
      $2 == suite && !exact { exact = $3 }
      $1 == origin && $2 !~ /-(security|updates)/ && !same { same = $3 }
      END { print exact ? exact : same }'
}

# Makes the root of a suite in a new folder, whose name it leaves in `bare`; it goes when the script ends.
# Where none can be made, it says why and ends the script with status 77.
make_root() {  # suite
  local suite=$1 mirror options=()
  [ "$(id -u)" -eq 0 ] || skip "needs root for chroot"
  command -v debootstrap >/dev/null || skip "debootstrap is not installed"
  mirror=$(mirror_of "$suite")
  [ -n "$mirror" ] || skip "apt of this machine has no mirror with $suite (after apt-get update); name one in COSLICE_MIRROR"
  if [ "$suite" = noble ]; then
    local keyring=${UBUNTU_KEYRING:-/usr/share/keyrings/ubuntu-archive-keyring.gpg}
    [ -e "$keyring" ] || skip "no Ubuntu keyring; name one in UBUNTU_KEYRING"
    options=(--keyring="$keyring" "--components=main,universe")
  fi
  bare=$(mktemp -d /var/tmp/coslice-bare.XXXXXX)
  trap 'rm -rf --one-file-system "$bare"' EXIT
  chmod 755 "$bare"
  echo "making a bare $suite in $bare from $mirror"
  # The script is named where debootstrap of another distribution does not know the suite.
  [ "$suite" != noble ] || set -- "$suite" /usr/share/debootstrap/scripts/gutsy
  debootstrap --variant=minbase "${options[@]}" "$suite" "$bare" "$mirror" "${@:2}" >"$bare.log" 2>&1 || {
    tail -n 5 "$bare.log"
    rm -f "$bare.log"
    skip "debootstrap could not fetch $suite"
  }
  rm -f "$bare.log"
  inside true || skip "this machine lets nobody mount anything in a root"
}

mounts=()  # what commands inside see besides: pairs of a folder of this machine and its place in the root
mount_inside() {  # folder place
  mkdir -p "$bare$2"
  mounts+=("$1" "$bare$2")
}

# Runs a command in the root, with a /proc of its own and the mounts, read-only, in a mount namespace that ends with the
# command: the root never has them for what removes it.
inside() {
  # shellcheck disable=SC2016  # expanded inside
  local mounting='mount -t proc proc "$0/proc"' i
  for ((i = 0; i < ${#mounts[@]}; i += 2)); do
    mounting+=" && mount --bind ${mounts[i]@Q} ${mounts[i + 1]@Q} && mount -o remount,bind,ro ${mounts[i + 1]@Q}"
  done
  # shellcheck disable=SC2016
  unshare --mount sh -c "$mounting"' && exec chroot "$0" env -i HOME=/root LANG=C.UTF-8 \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin CI=true "$@"' "$bare" "$@" </dev/null
}

must_say() {  # text output
  case $2 in *"$1"*) ;; *) echo "expected '$1', got:"; echo "$2"; exit 1 ;; esac
}
