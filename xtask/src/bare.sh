# Makes a bare Debian in $ROOT with $PACKAGES, and runs a command there as an unprivileged user with an empty
# home, in a clone of the committed tree. The toolchain ($RUST) and Node ($NODE) are this machine's. `bare.rs`
# starts it.
set -eu
mounted() { awk -v root="$ROOT/" 'index($2, root) == 1 { print $2 }' /proc/mounts | sort -r; }
umounts() { mounted | while read -r place; do umount -l "$place"; done; }
trap umounts EXIT
trap 'exit 143' INT TERM
if [ "$(cat "$ROOT/.packages" 2>/dev/null)" != "$PACKAGES" ]; then
  umounts
  rm -rf --one-file-system "$ROOT"
  mmdebstrap --quiet --variant=minbase --include="$PACKAGES" \
    $(for file in /etc/apt/apt.conf.d/99*; do [ ! -e "$file" ] || echo "--aptopt=$file"; done) \
    "$(. /etc/os-release; echo "$VERSION_CODENAME")" "$ROOT" \
    "$(find /etc/apt/sources.list.d /etc/apt/sources.list -name '*.sources' -o -name sources.list 2>/dev/null | head -1)"
  chroot "$ROOT" useradd --create-home --shell /bin/bash builder
  echo "$PACKAGES" > "$ROOT/.packages"
fi
home=$ROOT/home/builder
umounts
rm -rf --one-file-system "$home" "$ROOT/usr/local/lib/node_modules" "$ROOT/usr/local/bin/node"
mkdir -p "$home/.cargo/bin" "$home/.rustup/toolchains" "$ROOT/usr/local/lib/node_modules"
# How this machine reaches the registries is no part of what is tried.
cp -L /etc/resolv.conf /etc/hosts "$ROOT/etc/"
bundle=/etc/ssl/certs/ca-certificates.crt
cp --remove-destination -L $bundle "$ROOT$bundle"
[ ! -e /etc/pip.conf ] || cp /etc/pip.conf "$ROOT/etc/"
for file in .npmrc .cargo/config.toml .config/pip/pip.conf; do
  [ ! -e "$HOME/$file" ] || install -D -m644 "$HOME/$file" "$home/$file"
done
cp -P "${CARGO_HOME:-$HOME/.cargo}"/bin/* "$home/.cargo/bin/"
cp -r "$RUST" "$home/.rustup/toolchains/"
printf 'version = "12"\ndefault_toolchain = "%s"\n' "$(basename "$RUST")" > "$home/.rustup/settings.toml"
install -m755 "$NODE" "$ROOT/usr/local/bin/node"
cp -r "$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")" "$ROOT/usr/local/lib/node_modules/npm"
ln -sf ../lib/node_modules/npm/bin/npm-cli.js "$ROOT/usr/local/bin/npm"
git clone --quiet . "$home/leafid"
chroot "$ROOT" chown -R builder:builder /home/builder
mount -t proc proc "$ROOT/proc"
mount --rbind /dev "$ROOT/dev"
mount --make-rslave "$ROOT/dev"
chroot --userspec=builder:builder "$ROOT" /usr/bin/env -i HOME=/home/builder USER=builder TERM="${TERM:-dumb}" LANG=C.UTF-8 \
  ${HTTPS_PROXY:+HTTPS_PROXY="$HTTPS_PROXY"} ${HTTP_PROXY:+HTTP_PROXY="$HTTP_PROXY"} ${NO_PROXY:+NO_PROXY="$NO_PROXY"} \
  SSL_CERT_FILE=$bundle NODE_EXTRA_CA_CERTS=$bundle PIP_CERT=$bundle \
  PATH=/home/builder/.cargo/bin:/usr/local/bin:/usr/bin:/bin bash -c "cd ~/leafid && $*"
