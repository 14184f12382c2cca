# What `mce sandbox build` makes of the sandbox image where `MCE_SANDBOX_PACKAGES` adds packages.
# `packages/` holds the files of wheels that were held to their hashes; nothing is fetched.
ARG BASE
FROM ${BASE}

USER 0:0
RUN rm -rf /opt/mce/packages
COPY packages/ /opt/mce/packages/

# Behind everything else on the path, so that nothing here can take the place of what is there.
RUN set -e; \
    purelib="$(python3 -I -B -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"; \
    echo /opt/mce/packages > "${purelib}/mce_packages.pth"; \
    python3 -I -B -m compileall -q -f -j 0 --invalidation-mode unchecked-hash \
        /opt/mce/packages > /dev/null 2>&1 || true

USER 65534:65534
